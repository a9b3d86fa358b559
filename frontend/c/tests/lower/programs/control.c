/* Statements: loops, switches with fall-through and nested labels, jumps. */
#include <stdio.h>

enum color { RED, GREEN = 5, BLUE, NEGATIVE = -3 };

static int classify(int value) {
    int result = 0;
    switch (value) {
        result = 99;
    case 1:
    case 2:
        result += 1;
    case 3: {
        result += 10;
        break;
    }
    default:
        result += 100;
    case -7 ... -5:
        result += 1000;
        if (value < 0) {
        case 8:
            result += 10000;
        }
        break;
    case 'x':
        return -1;
    }
    return result;
}

static int copy(int *to, const int *from, int count) {
    int rounds = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--rounds > 0);
    }
    return rounds;
}

static int loops(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 0) continue;
        for (int j = i;; j++) {
            if (j > 20) break;
            switch (j & 3) {
            case 0: continue;
            case 1: sum += j; break;
            default: sum -= 1;
            }
            if (sum > 50) goto out;
        }
        int k = 0;
        while (k < 4) {
            k++;
            if (k == 2) continue;
            sum += k;
        }
        do {
            if (k == 1) continue;
            sum ^= k;
        } while (--k);
    }
out:
    return sum;
}

static int jumps(int n) {
    int count = 0;
again:
    if (n <= 1) goto done;
    n = n % 2 ? 3 * n + 1 : n / 2;
    count++;
    goto again;
done:
    return count;
}

static const char *name(enum color color) {
    switch (color) {
    case RED: return "red";
    case GREEN: return "green";
    case BLUE: return "blue";
    case NEGATIVE: return "negative";
    }
    return "?";
}

static int wide(unsigned long long value) {
    switch (value) {
    case 0xFFFFFFFFFFFFFFFFULL: return 1;
    case 1ULL << 40: return 2;
    default: return 3;
    }
}

int main(void) {
    for (int i = -9; i < 10; i++) printf("%d ", classify(i));
    printf("%d\n", classify('x'));
    int from[11], to[11] = {0};
    for (int i = 0; i < 11; i++) from[i] = i * i;
    copy(to, from, 11);
    for (int i = 0; i < 11; i++) printf("%d ", to[i]);
    for (int i = 0; i < 12; i++) printf("%d ", loops(i));
    printf("\n%d %s %s %s %s\n", jumps(27), name(RED), name(BLUE), name(NEGATIVE), name(77));
    printf("%d %d %d\n", wide(-1), wide(1ULL << 40), wide(5));
    int x = 3;
    if (x == 1) printf("one\n");
    else if (x == 2) printf("two\n");
    else if (x == 3) printf("three\n");
    else printf("many\n");
    { int x = 4; { int x = 5; printf("%d ", x); } printf("%d ", x); }
    printf("%d\n", x);
    if (x) if (x > 5) printf("a\n"); else printf("b\n");
    for (;;) { if (x++ > 7) break; }
    while (1) { if (--x < 2) break; }
    printf("%d\n", x);
    return 0;
}
