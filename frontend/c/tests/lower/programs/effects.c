/* Effects inside of expressions. Only what C defines: no two unsequenced effects on one object. */
#include <stdio.h>

static int counter;
static int next(void) { return ++counter; }
static int say(int value) {
    printf("%d ", value);
    return value;
}
struct pair { int first, second; };
static struct pair make(int first, int second) {
    struct pair result = {first, second};
    return result;
}
static struct pair table[3] = {{1, 2}, {3, 4}, {5, 6}};
static struct pair *at(int index) {
    printf("at%d ", index);
    return &table[index];
}
static int deep(int depth) { return depth <= 0 ? 0 : depth + deep(depth - 1); }

int main(void) {
    int a[10] = {0}, i = 0, x, y;
    a[i++] = 5;
    a[i++] += 7;
    a[++i] = next() * 2;
    printf("%d %d %d %d\n", i, a[0], a[1], a[3]);
    x = y = next();
    printf("%d %d\n", x, y);
    x = (next(), next()) + 1;
    printf("%d\n", x);
    if (say(0) && say(1)) say(100);
    if (say(1) || say(2)) say(101);
    x = say(2) && say(0) ? say(3) : say(4);
    printf("%d\n", x);
    y = !(say(1) && (say(0) || say(7)));
    printf("%d\n", y);
    while (say(next()) < 9) x += counter;
    printf("%d\n", x);
    for (i = 0, x = 3; x-- && i < 10; i += 2) say(i);
    do { i--; } while (i > 0 && say(i) != 2);
    printf("%d\n", i);
    printf("%d %d\n", make(3, 4).first, make(5, 6).second);
    at(1)->first += 10;
    at(0)->second++;
    (*at(2)).first = next();
    printf("%d %d %d\n", table[1].first, table[0].second, table[2].first);
    struct pair p = x > 100 ? make(1, 1) : table[1], q;
    q = p = make(8, 9);
    printf("%d %d\n", p.first, q.second);
    int *pointer = a, *end;
    *pointer++ = 1;
    *pointer++ = 2;
    end = &a[5];
    printf("%d %d\n", (int)(pointer - a), (int)(end - pointer));
    printf("%d\n", *--pointer);
    unsigned char c = 250;
    c += 10;
    x = c++ + 1;
    printf("%d %d\n", c, x);
    x = 5;
    x = (i = 3) ? i + 1 : i;
    printf("%d %d\n", x, deep(10));
    x = ({ int t = next(); t *= 2; t + 1; });
    printf("%d %d\n", x, counter ?: 7);
    (void)next();
    x > 0 ? (void)say(1) : (void)say(2);
    x > 0 && say(3);
    x > 0 || say(4);
    printf("\n%d\n", sizeof(i++) + i);
    return x & 7;
}
