/* Initialisers of static and automatic objects. */
#include <stdio.h>
#include <stddef.h>
#include <string.h>

struct inner { short a, b; };
struct outer { int x; struct inner list[2]; char name[6]; union { int i; unsigned char bytes[4]; } u; };
struct bits { unsigned a : 3; int b : 5; unsigned : 4; unsigned c : 9; unsigned char d : 1; };
struct unnamed { int first; struct { int second; union { int third; float other; }; }; int fourth; };
typedef struct node { struct node *next; int value; int (*function)(int); } node;

static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }

static const int size = 4;
static int copied = 7 + 3 * 2;
static int table[] = {1, 2, [5] = 6, 7, [2] = 30};
static int matrix[3][2] = {{1, 2}, 3, 4, {5}};
static int ranges[10] = {[2 ... 5] = 8, [4] = 9};
static char text[] = "hello\t\x41" "initial_memory";
static char fixed[3] = "abc";
static char padded[8] = {"ab"};
static const char *strings[] = {"one", "two", 0, "four"};
static struct outer whole = {1, {{2, 3}, {4}}, "name", {0x01020304}};
static struct outer flat = {1, 2, 3, 4, 5, 'n', 'a', 0, 0, 0, 0, 6};
static struct outer designated = {.u.bytes = {1, 2, 3}, .list[1].b = 5, .x = 9, .name[2] = 'z'};
static struct bits packed = {5, -3, 300, 1};
static struct unnamed nested = {1, {2, {3}}, 4}, other = {.third = 5, 6}, partly = {.second = 8, 9, 10};
static node last = {0, 3, thrice}, first = {&last, 1, twice};
static node *heads[2] = {&first, &last};
static int *inside = &matrix[1][1], *behind = table + 3;
static char *middle = &text[2];
static float numbers[3] = {1.5f, 2, 1.0 / 3};
static double half = 1 / 2.0 + 1 / 2;
static unsigned char wrapped = 300, negative = -1;
static _Bool truth = 12, lie = 0.0;
static long long wide = 1LL << 40, sum = -5 + 10u;
static struct { int a; } list[] = {{1}, {2}, {3}};
static int size_of_table = sizeof table / sizeof *table, offset = offsetof(struct outer, list[1].b);
static int *literal = (int[]){1, 2, 3};
static struct inner compound = (struct inner){7, 8};

static void print(const char *what, const void *object, size_t size) {
    const unsigned char *bytes = object;
    printf("%s:", what);
    for (size_t i = 0; i < size; i++) printf(" %02x", bytes[i]);
    printf("\n");
}
#define PRINT(object) print(#object, &object, sizeof object)

static int counting(void) {
    static int calls = 10, more[2] = {[1] = 5};
    calls++;
    more[1] += calls;
    return more[1];
}

int main(void) {
    PRINT(copied); PRINT(table); PRINT(matrix); PRINT(ranges); PRINT(text); PRINT(fixed); PRINT(padded);
    PRINT(whole); PRINT(flat); PRINT(designated); PRINT(packed); PRINT(nested); PRINT(other); PRINT(partly);
    PRINT(numbers); PRINT(half); PRINT(wrapped); PRINT(negative); PRINT(truth); PRINT(lie); PRINT(wide); PRINT(sum);
    PRINT(list); PRINT(size_of_table); PRINT(offset); PRINT(compound); PRINT(size);
    for (int i = 0; i < 4; i++) printf("%s ", strings[i] ? strings[i] : "-");
    printf("%d %d %s %d\n", *inside, *behind, middle, literal[2]);
    for (node *n = heads[0]; n; n = n->next) printf("%d %d\n", n->value, n->function(10));
    counting();
    printf("%d\n", counting());

    int x = 3, local[5] = {x, x + 1, [4] = x * 2}, square[2][2] = {x, [1][1] = 7};
    char word[] = "word", longer[10] = "long";
    struct outer automatic = {x, .list = {{1, x}, [1] = {.b = 9}}, .name = "auto", .u = {.bytes = {[3] = x}}};
    struct inner pair = {1, 2}, same = pair, array[3] = {pair, {3}, same};
    struct bits fields = {.c = x * 100, .b = -1};
    int empty[4] = {}, single = {5};
    node here = {.value = 4, .function = twice}, there = {&here, here.function(here.value), thrice};
    PRINT(local); PRINT(square); PRINT(word); PRINT(longer); PRINT(automatic); PRINT(pair); PRINT(same); PRINT(array);
    PRINT(empty); PRINT(single);
    printf("%d %d %d\n", fields.c, fields.b, fields.a);
    printf("%d %d\n", there.value, there.next->value);
    int *p = (int[3]){x, 2};
    p[2] = 9;
    printf("%d %d %d %d\n", p[0], p[1], p[2], ((struct inner){.b = 6}).b);
    for (int i = 0; i < 2; i++) {
        int again[2] = {i};
        again[1] += i + 1;
        printf("%d %d ", again[0], again[1]);
    }
    printf("\n");
    return 0;
}
