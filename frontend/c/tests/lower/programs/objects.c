/* Records, bit-fields, unions, pointers, arrays, functions, floats. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { uint8_t low : 3, high : 5; int16_t word; int32_t many : 20; uint32_t rest : 12; } fields;
typedef union { uint32_t word; uint16_t half[2]; uint8_t byte[4]; float number; struct { uint32_t a : 4, b : 28; } bits; } pun;
struct deep { struct { struct { int value; } c[2]; } b; int *link; };
struct __attribute__((packed)) tight { char c; int i; short s; };
#pragma pack(push, 2)
struct half_tight { char c, e; int i; double d; };
#pragma pack(pop)
struct odd { char c; long long wide; short s; double d; char tail; };
struct mixed { int a : 7; unsigned b : 27; char c; unsigned long long d : 40; int : 0; int e : 2; _Bool f : 1; };

typedef int (*operation)(int, int);
static int add(int a, int b) { return a + b; }
static int mul(int a, int b) { return a * b; }
static operation operations[] = {add, mul, &add};
static operation choose(int which) { return which ? mul : add; }
static int apply(operation f, int a, int b) { return f(a, b) + (*f)(b, a) + (**f)(1, 1); }
static int sum(int values[], int count) { int s = 0; while (count-- > 0) s += *values++; return s; }
static int rows(int m[][3], int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) s += m[i][j] * j; return s; }
static struct deep change(struct deep d) { d.b.c[1].value += 5; return d; }
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static float mean(float a, double b) { return (a + b) / 2; }

int main(void) {
    fields f = {0};
    f.low = 9; f.high = 31; f.word = -5; f.many = -300000; f.rest = 4096 + 5;
    printf("%d %d %d %d %d %d\n", f.low, f.high, f.word, f.many, f.rest, f.low - 2 < 0);
    f.low++; f.high += 3; f.many <<= 1;
    printf("%d %d %d\n", f.low, f.high, f.many);
    printf("%d %d\n", (f.low = 12) + 1, f.high-- - 40 < 0);
    pun p; p.number = 1.5f; printf("%x %x %x %x %x\n", p.word, p.half[1], p.byte[2], p.bits.a, p.bits.b);
    p.byte[3] = 0x40; printf("%g\n", p.number);
    struct deep d = {{{{1}, {2}}}, 0}, *q = &d;
    q->link = &q->b.c[1].value; *q->link = 7;
    printf("%d %d %d\n", d.b.c[1].value, change(d).b.c[1].value, q->b.c[0].value);
    printf("%d %d %d %d\n", (int)sizeof(struct tight), (int)sizeof(struct half_tight), (int)sizeof(struct odd), (int)sizeof(struct mixed));
    struct mixed m = {-3, 100000000, 'c', 0xABCDEF1234ULL, 1, 1};
    printf("%d %u %d %llx %d %d\n", m.a, m.b, m.c, (unsigned long long)m.d, m.e, m.f);
    printf("%d %d %d %d\n", operations[1](3, 4), choose(0)(3, 4), apply(choose(1), 2, 5), (int)(operations[0] == operations[2]));
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}}, a = 1, b = 2;
    swap(&a, &b); swap(&grid[0][2], grid[1]);
    printf("%d %d %d %d %d\n", a, b, sum(grid[1], 3), rows(grid, 2), *(*(grid + 1) + 1));
    int *start = &grid[0][0], *end = start + 5;
    printf("%d %d %d %d %d\n", (int)(end - start), start < end, end == &grid[1][2], 2[start], *(end - 4));
    void *raw = grid; char *bytes = (char *)raw + 4; printf("%d %d\n", *(int *)bytes, (int)((char *)end - (char *)raw));
    int *none = 0; printf("%d %d %d\n", !none, none == NULL, none ? 1 : 2);
    double x = 10, y = 3; float z = x / y;
    printf("%a %a %a %a\n", x / y, z, mean(z, 2), -z * 2 + 1);
    printf("%d %d %u %lld\n", (int)-2.9, (int)z, (unsigned)3e9, (long long)-1e15);
    printf("%a %a %a\n", (double)16777217, (float)16777217, (float)0x7FFFFFFFFFFFFFFFLL);
    printf("%d %d %d %d\n", x > y, z != z, !y, x && 0.0);
    float nan = 0; nan /= nan; printf("%d %d %d\n", nan == nan, nan != nan, nan < 1);
    x += 1; x *= y; x -= 0.5f; z++; printf("%a %a %a\n", x, z, x ? z : 1);
    int truncated = 7; truncated *= 1.5; truncated += 0.9; printf("%d %d\n", truncated, 5 / 2 * 2.0 > 4);
    printf("%a %a %d\n", fabs(-2.5), sqrt(2), abs(-4));
    char buffer[16]; memset(buffer, 'x', sizeof buffer); memcpy(buffer, "hi", 3);
    printf("%s %d %d\n", buffer, buffer[5], (int)strlen("four"));
    uint8_t u8 = 200; int8_t i8 = (int8_t)u8; uint16_t u16 = u8 * u8; int16_t i16 = (int16_t)(u8 << 8);
    printf("%d %d %d %d %d\n", i8, u16, i16, (uint8_t)(u8 + 100), u8 + 100);
    volatile int v = 3; v += 2; register int r = v; const int k = r;
    printf("%d %d %s\n", k, 'a' + '\n', __func__);
    printf("%d %d\n", (int)sizeof "abc", (int)_Alignof(double));
    long double_check = sizeof(long) == 8; printf("%d\n", (int)double_check >= 0);
    return 0;
}
