//! What generated code uses of C, each in a small model whose random executions the compiled code must repeat.

use crate::translate::support::{checked, messages, replays, translate_text, translate_with};
use frontend::limit::Limit;
use frontend_c::ir::target::{DataModel, Target};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Translates the text for both data models that the host can compile, and repeats executions natively.
#[track_caller]
fn check(what: &str, text: &str) {
    check_for(&[DataModel::Ilp32, DataModel::Lp64], what, text);
}

/// As [`check`], for the given data models.
#[track_caller]
fn check_for(models: &[DataModel], what: &str, text: &str) {
    for &model in models {
        let translated = translate_with(text, |request| request.target = Target { model })
            .unwrap_or_else(|failure| panic!("{what}: {}\n{text}", messages(&failure)));
        let replayed = replays(&translated, 1, 20);
        assert_eq!(replayed, Ok(20), "{what}, {model:?}:\n{text}");
    }
}

#[test]
fn data() {
    for (what, text) in [
        (
            "bit-fields: promotion, sign, zero width, storing too much",
            "struct { unsigned a : 3; int b : 4; unsigned : 0; unsigned long long c : 20; _Bool d : 1; signed char e : 2; } s; int out;
             void step(int x, unsigned y) { out = s.a - 5 < 0; s.a += x; s.b = x; s.c ^= y; s.d = y & 4; s.e--; out += s.b >> 1; out += (s.b = x + 1); }",
        ),
        (
            "bit-fields wider than int: as wide as they are in arithmetic",
            "struct { unsigned long long a : 40; long long b : 40, c : 33; unsigned long long d : 63, e : 33; } s; unsigned long long out[20]; int less;
             void step(unsigned long long x, int y) { s.a += x; s.b = x ^ s.c; s.c = x + y; s.d -= s.a; s.e++;
               out[0] = s.a + 1; out[1] = s.a << 3; out[2] = ~s.a; out[3] = -s.b; out[4] = s.a * s.a; out[5] = s.a + s.b; out[6] = s.c * 3;
               out[7] = s.a + 1ull; out[8] = (s.a += y); out[9] = (y, s.a) + 1; out[10] = (y > 0 ? s.a : s.e) + 1; out[11] = +s.e + 7;
               out[12] = s.b >> 2; out[13] = s.d * 2; out[14] = s.a / (s.e | 1); out[15] = s.c % (s.b | 1); out[16] = (s.e = x) + 1; out[17] = s.a + s.d;
               out[18] = (unsigned long long)s.a + 1; out[19] = s.a-- + 1;
               less = (s.c < s.a) + 2 * (s.b < s.a) + 4 * (s.c - s.e < 0) + 8 * (s.a - s.b > s.d) + 16 * (s.e - y < 0) + 32 * !s.c; }",
        ),
        (
            "a union of a word and its bytes",
            "union { unsigned long long w; unsigned char b[8]; struct { unsigned short lo, hi; } h; } u; unsigned out;
             void step(unsigned x, unsigned char i) { u.w += x; u.b[i & 7] ^= 3; out = u.h.hi + u.b[5]; }",
        ),
        (
            "a union of float and word (numbers only)",
            "union { float f; unsigned w; } u; unsigned out; void step(unsigned char x) { u.f = x * 0.5f; out = u.w >> 20; u.w &= 0xfff00000u; }",
        ),
        (
            "an array without elements, read where no execution comes",
            "int none[0], n, out; void step(unsigned i, int x) { n = (n + 1) % 5; if (n > 100) { none[i] = x; out = none[i % 3]; } out += n; }",
        ),
        (
            "vectors of floats and of integers",
            "#include <emmintrin.h>\nfloat in[4] = { 1, 2, 3, 4 }, out[4]; double wide[3]; int sums[5];
             void step(float x, double y, int n) { __m128 a = _mm_loadu_ps(in), b = _mm_set_ps(x, 3.0f, 0.5f, x); __m128d c = _mm_loadu_pd(&wide[1]); __m128i d = _mm_loadu_si128((const __m128i *)&sums[1]);
               a = _mm_add_ps(_mm_mul_ps(a, b), _mm_sub_ps(_mm_set1_ps(x), _mm_div_ps(a, b))); a = _mm_max_ps(_mm_min_ps(a, b), _mm_setzero_ps());
               _mm_storeu_ps(out, _mm_sqrt_ps(a)); _mm_storeu_pd(&wide[1], _mm_add_pd(c, _mm_set_pd(y, 1.0))); wide[0] = _mm_cvtsd_f64(_mm_sqrt_pd(_mm_set1_pd(y)));
               _mm_storeu_si128((__m128i *)&sums[1], _mm_sub_epi32(_mm_add_epi32(d, _mm_set1_epi32(n)), _mm_set_epi32(1, 2, 3, 4))); }",
        ),
        (
            "pointers that run below the first element, are ordered, subtracted, and numbers in between",
            "#include <stdint.h>\nint a[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, sum, out[4];
             void step(unsigned char x, unsigned char y) { int *p, *q = a + (y & 7), *end = a + 8; sum = 0; for (p = &a[7]; p >= a; p--) sum += *p * x;
               p = &a[x & 7]; out[0] = p < q; out[1] = p - q; while (p < end && *p != (y & 7)) p++; out[2] = end - p;
               out[3] = *(int *)(uintptr_t)(const void *)q; if ((uintptr_t)q) out[3]++; }",
        ),
        (
            "pointers moved there and back: only the sum of the indices has to lie in the array",
            "short g[5] = { 1, 2, 3, 4, 5 }; struct { int k, v[4]; } t[3]; int out[7];
             void step(unsigned char a, unsigned char b) { short *w = &g[b & 3], *u = g + 1; int *p; int i = a & 1, local[4] = { 1, 2, 3, 4 }, *q = local;
               out[0] = w[-(b & 3)]; out[1] = w[1 - (b & 3)]++; w[i] += 3; w -= b & 3; out[2] = *w; u += b & 1; u += i; u[-1 - i] ^= 9; out[3] = u[1 - (b & 1)];
               p = &t[a % 3u].v[b & 3]; *p += b; p += 2 - (b & 3); *p ^= a; out[4] = p[i]; q += b & 3; out[5] = q[-(b & 3)] * *q; out[6] = q - local; }",
        ),
        (
            "pointers in structs",
            "struct dw { int n; struct dw *next; }; struct rtm { struct dw *dwork; int *where; } m; struct dw second = { 7, 0 }, first = { 3, &second };
             void model_initialize(void) { m.dwork = &first; m.where = &second.n; }
             void model_step(int x) { struct dw *d = m.dwork; *m.where += x; d->n ^= d->next->n; if (d->next->next) d->n = 0; }",
        ),
        (
            "pointer parameters to any element",
            "int a[4][3]; struct { char c; short v[5]; } s; static void bump(int *p, int by) { p[0] += by; } static void low(short *p) { *p = *p / 2 + 1; }
             void step(unsigned i, unsigned j, int x) { bump(&a[i & 3][j % 3], x); bump(a[1] + 2, 1); bump(&a[0][0], 5); low(&s.v[j % 5]); low(s.v); }",
        ),
        (
            "pointer comparison and arithmetic within an object",
            "int a[6]; int out; void step(unsigned i, unsigned j) { int *p = a + i % 6, *q = &a[j % 6]; out = p < q ? (int)(q - p) : p == q ? 100 : -1; *p = out; for (q = a; q != a + 6; ++q) *q += p >= q; }",
        ),
        (
            "pointers with several targets",
            "int x, y, z; int *kept = &x; int out; void step(int s, int v) { int *p = s > 0 ? &x : s < -5 ? &y : &z; *p = v; out = *kept; if (v == 3) kept = p; *kept += 1; }",
        ),
        (
            "pointers to pointers, one of which is a member beside numbers",
            "static int t[3], z, *held = &t[1]; struct { int k; int *p; struct { short q; int **pp; } in; } n = { 0, &t[2], { 1, &held } }; int out;
             void step(int x, unsigned char s) { **n.in.pp += x; if (s == 3) *n.in.pp = t; else if (s == 5) n.in.pp = &n.p; else if (s == 7) *n.in.pp = &z; *n.p ^= 1; out = **n.in.pp + (n.in.pp == &held); }",
        ),
        (
            "a pointer chosen again and again among two targets",
            "signed char x, y, z; signed char *kept = &x; int out;
             void step(unsigned s, unsigned t, signed char v) { for (int i = 0; i < 14; ++i) { if (s >> i & 1) { if (t >> i & 1) kept = &y; } else if (v > i) { kept = &z; } } out += *kept; *kept ^= v; }",
        ),
        (
            "tables in two and three dimensions",
            "static const int t[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }; short m[2][2][2]; int out;
             void step(unsigned i, unsigned j) { out = t[i % 2][j % 3]; m[i & 1][j & 1][(i >> 1) & 1] += out; out += m[1][0][1]; }",
        ),
        (
            "same static names, tentative definitions, static locals",
            "static int n; int n2; static int n; int n2; static int f(void) { static int n = 5; return n += 2; } static int g(void) { static int n; return ++n; }
             void step(int x) { n += f() - g(); n2 = n + x; }",
        ),
        (
            "designated and nested initialisers",
            "struct p { int x, y; }; struct q { struct p a[3]; int n; } v = { .a = { [2] = { .y = 4 }, [0].x = 1, [1] = { 9, 8 } }, .n = 5 }; int t[] = { [3] = 2, 1, [0] = 7 }; int out;
             void step(unsigned i) { struct q w = { { { 1 }, { .y = 2 } } }; out = v.a[i % 3].x * 100 + v.a[i % 3].y + w.a[i % 3].y + t[i % 5] + (int)sizeof t; v.n += ((struct p){ .y = (int)i }).y; }",
        ),
        (
            "initialisers that replace others",
            "struct p { int x, y; unsigned f : 3, g : 5; }; struct q { struct p a[3]; int n; char s[6]; union { int w; short h[2]; struct p p; } u; union { char c; int k; }; };
             static const struct p whole = { 7, 8, 1, 2 };
             struct q v = { .a = { { 1, 2 }, { 3, 4, 5 } }, .a[1] = { .y = 9 }, .n = 1, .n = 2, .s = \"hello\", .s = \"no\", .s[1] = 'O', .u.w = -1, .u.h[1] = 3, .u.h[0] = 4, .c = 'x', .k = 70000 };
             struct p t[] = { [1].x = 4, [0] = { 2 }, [1] = { .y = 5 }, [0].g = 3, { 6, 6, 6 }, [3] = { 1, 2, 3, 4 }, [2] = { 8 }, [3].y = 1 }; int o[5] = { [1] = 5, [0] = 1, 2, [4] = 3, [3] = 4, 9 }; int out, calls;
             static int counted(int x) { calls++; return x; }
             void step(unsigned i) { struct { struct p p; struct q q; int last; } w = { .p = { 1, 2 }, .p = whole, .q = { .n = 3 }, .q.a[2] = { 1 }, .q.u.p.x = 4, .q.u.p.y = 5, .last = counted(1), .last = counted(2) };
               struct p m[2] = { [1] = whole, [0] = { counted(4), 1 }, [1] = { .f = 2 }, [0].y = counted(5) };
               out = v.a[i % 3].x + v.a[i % 3].y * 10 + v.a[1].f + v.n + v.s[1] + v.s[3] + v.u.w + v.k + t[i & 3].x + t[i & 3].y * 3 + t[i & 3].g + o[i % 5] + w.p.x + w.p.y + w.q.a[2].y + w.q.u.p.x + w.q.u.p.y + w.last + m[i & 1].x + m[i & 1].y + m[1].g + (int)sizeof t; }",
        ),
        (
            "sizes and offsets",
            "#include <stddef.h>\nstruct s { char c; double d; short b : 3; int a[2]; }; int out; unsigned char pad;
             void step(int x) { _Static_assert(sizeof(char) == 1, \"char\"); out = x + (int)sizeof(struct s) * 1000 + (int)offsetof(struct s, a[1]); pad = sizeof out + sizeof(long) + _Alignof(short); }",
        ),
        (
            "volatile, register, const, GNU attributes",
            "volatile int port; static __inline__ int __attribute__((always_inline)) twice(register int x) { return 2 * x; } int out __attribute__((aligned(8), unused)); struct __attribute__((packed)) { char c; int i; } s;
             void step(const int x) { port = x; out = twice(port) + (int)sizeof s; s.i += __extension__ 1; __builtin_expect(x, 0); }",
        ),
    ] {
        check(what, text);
    }
}

#[test]
fn control() {
    for (what, text) in [
        (
            "as many executions jump into a statement as out of it",
            "int out; void step(signed char a, unsigned char b) { int n = 0; if (a > 3) goto mid; if (b & 1) { n = 1; if (b & 2) goto end; mid: n += 2; }
             n += 10; if (a > 3) n += 100; end: out = n; }",
        ),
        (
            "labels of a switch in a loop in it, and in a branch of the switch behind it",
            "int out; void step(unsigned char a, unsigned char b) { int x = 0, k = 0, n = b & 15;
             switch (n & 3) { case 0: do { x *= 3; case 3: x = x * 3 + 3; case 2: x = x * 3 + 2; if (x > 100000) break; case 1: x = x * 3 + 1; } while ((n -= 4) > 0 && ++k < 4);
               break; default: x = -1; }
             switch (a & 7) { int y; case 1: y = 4; if (0) { case 2: y = 5; } x += y; break; { case 3 ... 5: x += 100; default: x += 1000; } }
             out = x; }",
        ),
        (
            "goto forward and backward",
            "int n, out; void step(int x) { int i = 0; if (x > 10) goto high; again: i++; n += i; if (i < 4) goto again; if (x < 0) goto done; out = n; goto done; high: out = -n; n = 0; done: ; }",
        ),
        (
            "jumps back, bounded by inputs, out of loops and switches, to two labels",
            "unsigned char n; int out; void step(unsigned char limit, signed char c) { int i = 0, k; first: out += i; if (i < limit && i < 12) { i++; goto first; }
             for (k = 0; k < 5; k++) { second: switch ((c + k + i) & 7) { case 1: if (i < 20) { i += 3; goto first; } break; case 2: if (++i < 15) goto second; continue; case 4: goto end; } n += k; }
             out ^= n; end: if (i++ < 18) goto second; }",
        ),
        (
            "labels of a switch within a loop",
            "int out; void step(unsigned char c) { int n = (c % 12 + 3) / 4; out = 0; switch (c % 4) { case 0: do { out += 1; case 3: out += 10; case 2: out += 100; case 1: out += 1000; } while (--n > 0); } }",
        ),
        (
            "switch: fall-through, nesting, ranges, default in the middle",
            "int out; void step(signed char c, int d) { switch (c) { case -3: out = 1; default: out += 2; break; case 4: case 5: switch (d & 3) { case 1: out = 7; break; case 2: out = 8; default: out++; } case 10 ... 20: out *= 2; } }",
        ),
        (
            "comma, conditional, compound assignment, order of effects",
            "int a, b, out; static int f(int x) { a = x; return a + 1; } void step(int x) { out = (f(x & 15), b++, a) + (x > 3 ? b-- : --b); a <<= (b & 3, 1); out += a ? f(2) && f(0) || b++ : 0; for (a = 0, b &= 7; a < 3 && b < 9; a++, b += 2) ; }",
        ),
        (
            "loops whose end depends on state and inputs",
            "unsigned char n; int out; void step(unsigned char limit) { unsigned char i = 0; while (i < limit && i < 12) { i++; if (i == 5) continue; n += i; } do { n >>= 1; } while (n > 200); for (;;) { if (++i > 20) break; } out = i; }",
        ),
        (
            "bounded recursion",
            "int out; static int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); } static void even(int n, int *r); static void odd(int n, int *r) { if (n > 0) even(n - 1, r); else *r = 0; } static void even(int n, int *r) { if (n > 0) odd(n - 1, r); else *r = 1; }
             void step(unsigned char x) { int r; even(x & 7, &r); out = fact(5) + fact(x % 6) + r; }",
        ),
        (
            "function pointers with known targets",
            "typedef int (*handler)(int); static int up(int x) { return x + 1; } static int down(int x) { return x - 1; } static const handler table[3] = { up, down, 0 }; static handler now = up; int out;
             void step(unsigned i, int x) { out = table[i & 1](out & 1023); if (table[i % 3]) out += table[i % 3](x & 7); out += (*now)(0); now = x > 3 ? down : now; if (now == up) out++; }",
        ),
        (
            "64-bit arithmetic",
            "long long s; unsigned long long u; int out; void step(int x, unsigned y) { s = s * 3 + x; u ^= (unsigned long long)y << 13; out = (int)(s >> 5) ^ (int)(u / (y | 1u)) ^ (int)(s % 1000003) ^ (u > 1ull << 40); }",
        ),
        (
            "statement expressions and typeof",
            "int out; void step(int x, int y) { out = ({ __typeof__(x) a = x & 255, b = y & 255; a > b ? a : b; }) + 1; }",
        ),
    ] {
        check(what, text);
    }
}

#[test]
fn memory_functions() {
    for (what, text) in [
        (
            "copies of whole and partial objects",
            "#include <string.h>\nstruct s { int a; short b[4]; char c; } x, y; unsigned char raw[16]; int out;
             void step(int v) { x.a = v; x.b[2] = (short)v; memcpy(&y, &x, sizeof x); memcpy(&y.b[1], &x.b[2], 2 * sizeof(short)); memmove(&x.b[1], &x.b[0], 3 * sizeof(short)); memcpy(raw, &v, sizeof v); memset(&y.c, 0x5a, 1); memset(raw + 8, v, 4); out = memcmp(raw, raw + 4, 4) != 0; }",
        ),
        (
            "sizes that vary",
            "#include <string.h>\nunsigned char a[8], b[8]; short w[4]; int out; void step(unsigned n, unsigned char v, unsigned k) { memset(b, v, n % 9); memcpy(a + k % 3, b, n & 3); memmove(b + 1, b, (n >> 2) & 3); memset(w, 0, (k & 3) * sizeof w[0]); w[k & 3] += v; out = a[2] + b[1]; }",
        ),
        (
            "calls with strings are ignored",
            "#include <stdio.h>\n#include <stdlib.h>\nint out; void step(int x) { printf(\"%d %s\\n\", x, \"text\"); fprintf(stderr, \"x\"); out = abs(x % 100) + x / 3; puts(\"done\"); }",
        ),
    ] {
        check(what, text);
    }
}

/// Every data model, as sizes of `size_t` and the kinds of replay differ.
#[test]
fn text_functions() {
    for (what, text) in [
        (
            "lengths and comparisons of literals, constants and buffers",
            "#include <string.h>\nstatic const char *const names[] = { \"wire\", \"wireless\", \"\" }; static char buffer[6]; int n, order, same;
             void step(unsigned char at, char c, unsigned char i) { buffer[at % 5] = c; n = (int)strlen(buffer) + (int)strlen(names[i % 3]);
               order = strcmp(buffer, \"ab\") < 0; same = strcmp(names[i % 3], \"wire\") == 0 ? 1 : strncmp(names[i % 3], \"wire\", at % 9) == 0 ? 2 : 3; }",
        ),
        (
            "copies, and what lies behind them",
            "#include <string.h>\nchar source[5], to[8], padded[6]; int out; void step(unsigned char at, char c, unsigned char n) { source[at % 4] = c & 3;
               strcpy(to + (at & 1), source); strncpy(padded, source, n % 7); out = strcpy(to, \"x\") == to; to[7] = 'z'; out += to[1]; }",
        ),
        (
            "bytes that are found",
            "#include <string.h>\nchar t[6]; int first, last, any; void step(unsigned char at, char c, char w) { t[at % 5] = c & 3; w &= 3; const char *p = strchr(t, w); first = p ? (int)(p - t) : -1;
               p = strrchr(t, w); last = p ? (int)(p - t) : -1; if (p) t[p - t] ^= 1; p = memchr(t, 2, 4); any = p ? *p + (int)(p - t) : -1; if (memchr(t, w, 0)) any = 99; }",
        ),
        (
            "a driver that is chosen by its name",
            "#include <string.h>\nstruct driver { const char *name; int (*open)(int); }; static int one(int x) { return x + 1; } static int two(int x) { return x * 2; }
             static const struct driver drivers[] = { { \"can\", one }, { \"lin\", two } }; int out;
             void step(unsigned char i, int x) { const char *wanted = i & 1 ? \"lin\" : i & 2 ? \"can\" : \"flexray\"; out = -1; for (int k = 0; k < 2; k++) if (strcmp(drivers[k].name, wanted) == 0) out = drivers[k].open(x & 255); }",
        ),
    ] {
        check_for(&[DataModel::Ip16, DataModel::Ilp32, DataModel::Lp64], what, text);
    }
}

#[test]
fn types_of_initial_values() {
    for (what, text) in [
        (
            "an expression, a place, an array",
            "int a, b, c; struct s { char k; short m; } r; static char t[3] = { 1, 2, 3 }; void step(int x, unsigned char y) { __auto_type z = x + 1l; const __auto_type k = y; __auto_type p = t + (y & 1);
               a = sizeof z * 10 + sizeof k + 100 * (k - 300 < 0); r.m = (short)x; __auto_type q = r; q.m += 1; b = q.m + *p + sizeof p; for (__auto_type i = y; i; i--) c += i > 3; }",
        ),
        (
            "nested expressions with statements",
            "#define MAX(a, b) ({ __auto_type m = (a); __auto_type n = (b); m > n ? m : n; })\nint a; void step(int x, short y, unsigned char z) { a = MAX(MAX(x, y), MAX(z, 7)); }",
        ),
        (
            "wide characters and their type",
            "#include <wchar.h>\nwchar_t w[2] = { L'a', L'\\xe4' }; int a; wint_t e; void step(int x) { w[x & 1] = L'\\n'; a = w[0] + w[1] + sizeof L'b' + (x == WCHAR_MAX); e = WEOF; }",
        ),
        (
            "whole string literals",
            "const char (*p)[5] = &\"text\"; int a, b; void step(int x) { const char (*q)[3] = x > 0 ? &\"ab\" : &\"cd\"; a = (*p)[x & 3] + (*q)[1]; b = sizeof *p + sizeof *q; }",
        ),
    ] {
        check_for(&[DataModel::Ilp32, DataModel::Lp64], what, text);
    }
}

#[test]
fn builtins() {
    for (what, text) in [
        (
            "counting bits",
            "int a, b, c; void step(unsigned x, unsigned long y, unsigned long long z) { a = __builtin_popcount(x) + 100 * __builtin_popcountl(y) + 10000 * __builtin_popcountll(z);
               b = __builtin_clz(x | 1) + 100 * __builtin_ctz(x | 256) + 10000 * __builtin_clzll(z | 4); c = __builtin_ffs((int)x) + __builtin_parity(x) + 100 * __builtin_ctzll(z | 1ull << 50); }",
        ),
        (
            "functions of constants",
            "enum { K = __builtin_ctz(8) + __builtin_ctz(0x8000u) }; int t[__builtin_ffs(4) + __builtin_ffsll(0)]; static const int m = __builtin_popcount(-1) + __builtin_parity(7u); const unsigned long long w = __builtin_bswap64(0x0102030405060708ull);
               int a, b; unsigned short s = __builtin_bswap16(0x1234); unsigned u = __builtin_bswap32(33); void step(int x) { switch (x) { case __builtin_clz(1): a = K; break; case __builtin_clrsb(-2): a = 2; break; default: a = sizeof t / sizeof t[0] + m; }
               b = __builtin_clrsb(0) + __builtin_clrsbll(1) + __builtin_clzl(5) + __builtin_popcountl(x ? -1l : 0) + (int)(w >> 40) + __builtin_popcount(m + 1) + s + (int)(u >> 16); }",
        ),
        (
            "words that are read and written at once",
            "int a, b, c; unsigned short s; unsigned char k; long w; int told; _Bool done; void step(int x, short y, long z) { told = __atomic_fetch_add(&a, x, __ATOMIC_SEQ_CST); told ^= __atomic_add_fetch(&a, y, 5);
               told += __sync_fetch_and_sub(&b, x); told += __sync_sub_and_fetch(&s, y); told ^= __sync_fetch_and_nand(&k, x); told += __atomic_nand_fetch(&k, y, 0); told += __sync_xor_and_fetch(&s, x); told ^= __atomic_fetch_or(&b, y, 2);
               __atomic_store_n(&w, z, 5); w += __atomic_exchange_n(&w, x, 4); w ^= __atomic_and_fetch(&w, 255, 0); told ^= __sync_val_compare_and_swap(&c, 0, x); done = __sync_bool_compare_and_swap(&c, x, y + 1);
               told += __sync_lock_test_and_set(&a, y); told ^= __atomic_load_n(&c, __ATOMIC_RELAXED); if (x > 0) __sync_lock_release(&k); }",
        ),
        (
            "swapping bytes",
            "unsigned short a; unsigned b; unsigned long long c; void step(unsigned short x, unsigned y, unsigned long long z) { a = __builtin_bswap16(x); b = __builtin_bswap32(y); c = __builtin_bswap64(z); }",
        ),
        (
            "overflow that is told",
            "int a; short s; unsigned u; long long w; unsigned char c; int told; void step(int x, int y, short k, unsigned v, long long z) {
               told = __builtin_add_overflow(x, y, &a); told = told * 2 + __builtin_sub_overflow(x, k, &s); told = told * 2 + __builtin_mul_overflow(v, (unsigned)y, &u);
               told = told * 2 + __builtin_mul_overflow(z, (long long)x, &w); told = told * 2 + __builtin_add_overflow(z, w, &w); told = told * 2 + __builtin_sub_overflow(v, 3u, &c); told = told * 2 + __builtin_smul_overflow(x, y, &a);
               told = told * 2 + __builtin_uadd_overflow(v, (unsigned)x, &u); if (__builtin_mul_overflow(z, -1ll, &w)) told = -told; }",
        ),
        (
            "a choice by type",
            "#define KIND(x) _Generic((x), int: 1, unsigned: 2, float: 3, double: 4, const int *: 5, default: 9)\nconst int t[2] = { 1, 2 }; int out; short s;
             void step(int x, float f) { const int c = 3; out = KIND(x) + 10 * KIND(f) + 100 * KIND(f * 2.0) + 1000 * KIND(t) + 10000 * KIND(s) + 100000 * KIND(c) + _Generic(x, int: x, default: -x); s = (short)x; }",
        ),
        (
            "a choice by the type of an enumeration",
            "enum E { A, B }; enum N { M = -1, P }; enum E e; enum N n; int out;
             void step(int x) { e = x & 1; n = x > 3 ? M : P; out = _Generic(e, unsigned: 1, default: 2) + 10 * _Generic(n, int: 1, default: 2) + 100 * _Generic(e, enum E: 1, default: 2) + 1000 * _Generic(A, int: 1, default: 2); }",
        ),
        (
            "hints are functions of long",
            "unsigned n; unsigned long long flags; int a, b; void step(int x) { n = x & 3; a = __builtin_expect(n, 0) - 1 < 0; flags |= 1ull << (x & 63); b = 0; if (__builtin_expect(flags & (1ull << 33), 1)) b = 1; b += 2 * sizeof(__builtin_expect(n, 0)); }",
        ),
        (
            "hints to the compiler",
            "int out; void step(int x) { switch (x & 3) { case 0: out = 1; break; case 1: out = 2; break; case 2: case 3: out = 3; break; default: __builtin_unreachable(); } if (__builtin_expect_with_probability(x > 3, 1, 0.9)) out++; }",
        ),
    ] {
        check(what, text);
    }
}

/// A search that starts where the last one ended goes wrong only from states that are never reached: comparisons with the numbers of the table show that.
#[test]
fn a_search_from_the_last_place_ends() {
    check(
        "a search from the last place",
        "static const unsigned short at[2] = { 538, 3277 }; unsigned short in, out; static unsigned last;
        void step(void) { unsigned i, right = 1, left = 0, found = 0;
          if (in <= at[0]) i = 0; else if (in < at[1]) { i = last;
            while (found == 0) {
              if (in < at[i]) { right = i - 1; i = ((i + left) - 1) >> 1; }
              else if (in < at[i + 1]) found = 1;
              else { left = i + 1; i = ((i + right) + 1) >> 1; } }
          } else i = 0;
          last = i; out = i; }",
    );
}

#[test]
fn loops_that_begin_at_one_of_several_constants() {
    const SEARCH: &str = "for (i = 0; i < 12; i++) { if (in[i] > 200) break; } first = i;";
    for (what, rest) in [
        ("counting up to the end", "for (i = first; i < 12; i++) a[i] = x;"),
        ("counting down", "for (i = first - 1; i >= 0; i--) a[i] = x;"),
        ("in steps that pass what others begin with", "for (i = first; i < 12; i += 3) a[i] = x;"),
        ("up to a choice", "for (i = first; i < first + 3; i++) n += i;"),
        ("left early", "for (i = first; i < 12; i++) { if (a[i] == x) break; a[i] = x; n++; }"),
        ("with `continue`", "for (i = first; i < 12; i++) { if (in[i] & 1) continue; a[i] = x + i; }"),
        ("with `return`", "for (i = first; i < 12; i++) { if (in[i] == x) return; a[i] = x; }"),
        ("one inside the other", "for (i = first; i < 12; i++) for (j = i; j < 12; j += 2) a[j] += i;"),
        (
            "where the body sets the counter",
            "for (i = first; i < 12; i++) { a[i] = x; if (in[i] & 2) i = 3 + i / 2 * 2; }",
        ),
        ("read behind the loop", "for (i = first; i < 10; i++) { a[i] = 1; } n = i;"),
        ("a while loop", "i = first; while (i < 12) { a[i] ^= x; i++; }"),
        ("an unsigned counter", "{ unsigned char u = first ? 250 : 3; for (; u < 252; u++) n += u; }"),
        (
            "with a jump out",
            "for (i = first; i < 12; i++) { if (in[i] == 7) goto out; a[i] = x; } n++; out: n += i;",
        ),
    ] {
        let text = format!(
            "unsigned char in[12], a[12]; int n, first; void step(unsigned char x) {{ int i, j = 0; {SEARCH} {rest} n += j; }}"
        );
        check(what, &text);
    }
}

/// What stands in for headers that generated code comes with.
#[test]
fn headers_of_generators() {
    for (what, text) in [
        (
            "infinities and NaN of Simulink Coder",
            "#include \"rtwtypes.h\"\n#include \"rt_nonfinite.h\"\n#include \"rtGetInf.h\"\n#include \"rtGetNaN.h\"
             typedef struct { real_T u; real32_T v; } in_T; in_T U; real_T least = 0; boolean_T classes[4]; int_T kind; void m_initialize(void) { rt_InitInfAndNaN(sizeof(real_T)); least = rtInf; }
             void m_step(void) { classes[0] = rtIsNaN(U.u); classes[1] = rtIsInf(U.u); classes[2] = rtIsNaNF(U.v); classes[3] = rtIsInfF(U.v); if (U.u < least && U.u > rtMinusInf) least = U.u;
               kind = (U.v == rtGetInfF()) + 2 * (U.u == rtGetMinusInf()) + 4 * (U.v < rtMinusInfF) + 8 * rtIsNaN(rtNaN) + 16 * rtIsNaNF(rtGetNaNF()); }",
        ),
        (
            "characters of the C library",
            "#include <ctype.h>\nint out; void step(char c) { out = isdigit(c) + 2 * !!isalpha(c) + 4 * !!isspace(c) + 8 * !!isxdigit(c) + 16 * (tolower(c) == 'q') + 32 * (toupper(c) == 'Z') + 64 * !!isprint(c) + 128 * !!isupper(c); }",
        ),
    ] {
        check_for(&[DataModel::Ip16, DataModel::Ilp32, DataModel::Lp64], what, text);
    }
}

/// Every data model, as the native replay hands over what functions without a body write.
#[test]
fn what_functions_of_outside_write() {
    for (what, text) in [
        (
            "as much as is declared or passed, and nothing that is const",
            "typedef unsigned char ok_t; typedef struct { short v[3]; unsigned char good; } info; typedef short triple[3];
             ok_t Read_info(info *data); ok_t Read_three(short data[3]); void Read_triple(triple t); ok_t Read_by_array(short (*data)[3]); void Read_some(short *p, unsigned n);
             void Read_rows(int m[][2]); void Write_info(const info *data); void Write_view(const short d[4]); void Write_pointer(short *const *p);
             static short a[3], b[4], c[3], d[3], e[2], *kept = &e[1]; static int m[3][2]; static info known; int out;
             void step(unsigned char x) { if (Read_info(&known) == 0 && Read_three(a) != 0) a[2] = -1; Read_by_array(&c); Read_some(b, 4); Read_some(&b[x & 3], 1); Read_some(&e[1], 2);
               Read_triple(d); Read_rows(m); Write_info(&known); Write_view(b); Write_pointer(&kept); out = known.v[2] + a[2] + b[3] + c[1] + d[2] + e[0] + m[2][1] + *kept; }",
        ),
        (
            "behind pointers to anything",
            "unsigned char Receive(unsigned short id, void *p); void Load(unsigned char *bytes, int n); void Log(const void *p);
             static short word; static unsigned char raw[3]; static struct { int a; float f; unsigned flag : 3; } block; static double wide[2]; void *some = &word; int out;
             void step(void) { Receive(1, &word); Receive(2, raw); Receive(3, some); Receive(4, (void *)0); Load((unsigned char *)&block, sizeof block); Load((unsigned char *)wide, 16); Load(raw, 3); Log(&word);
               out = word + raw[2] + block.a + (block.f > 1) + block.flag + (wide[1] > 0); }",
        ),
    ] {
        check_for(&[DataModel::Ip16, DataModel::Ilp32, DataModel::Lp64], what, text);
    }
}

/// Assignments to bit-fields, and whether a float may be out of range there.
#[test]
fn floats_have_to_fit_the_bits_of_a_bit_field() {
    let table = [
        ("s.narrow = 1.5f;", true),
        ("s.narrow = -1.9f;", false),
        ("s.narrow = in;", true),
        ("s.three = 7.9f;", false),
        ("s.three = 8.0f;", true),
        ("s.three += in;", true),
        ("s.truth = 9.5f;", false),
        ("s.truth = in;", false),
        ("s.three = 12;", false),
    ];
    for (statement, may_be_out) in table {
        let text = format!(
            "struct {{ int narrow : 1; unsigned three : 3; _Bool truth : 1; int plain; }} s;
            void model_initialize(void) {{ s.three = 0; }}
            void model_step(float in) {{ {statement} s.plain = (int)2.5f; }}"
        );
        let system = checked(&translate_text(&text));
        let is_float =
            |hazard: &model::system::Hazard| hazard.description.starts_with("floating-point number out");
        assert_eq!(system.hazards.iter().any(is_float), may_be_out, "{statement}");
    }
}

/// Pointers into different objects have neither an order nor a difference, and the numbers of addresses are nowhere known.
#[test]
fn addresses_are_no_numbers() {
    for (expression, may_differ) in [
        ("p < &a[2]", true),
        ("p - a", true),
        ("p == a", false),
        ("q >= a", false),
        ("q - a", false),
        ("q != 0", false),
    ] {
        let text = format!(
            "int a[4], b[4], out; void step(unsigned x) {{ int *p = x & 1 ? a : b, *q = &a[x & 3]; out = {expression}; }}"
        );
        let system = checked(&translate_text(&text));
        let is_pair = |hazard: &model::system::Hazard| hazard.description.starts_with("order or difference");
        assert_eq!(system.hazards.iter().any(is_pair), may_differ, "{expression}");
    }
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        let text =
            "#include <stdint.h>\nint a[4], out; void step(unsigned x) { out = (uintptr_t)&a[x & 3] % 16; }";
        let failure = translate_with(text, |request| request.target = Target { model })
            .err()
            .unwrap_or_else(|| panic!("{model:?} should have no numbers for addresses"));
        assert!(
            messages(&failure).contains("a pointer is converted to an integer"),
            "{}",
            messages(&failure)
        );
    }
}

/// Initialisers of bit-fields, and whether a float is out of range there.
#[test]
fn floats_have_to_fit_the_bits_of_an_initialised_bit_field() {
    for (initialiser, is_out) in
        [("{ 7.9, -8.5, 9.5 }", false), ("{ 9.5 }", true), ("{ 0, -20.25 }", true), ("{ 12 }", false)]
    {
        let text = format!(
            "static struct {{ unsigned three : 3; int four : 4; _Bool truth : 1; }} s = {initialiser}; int out;
            void step(int in) {{ out = s.three + s.four + in; }}"
        );
        let translated =
            translate_with(&text, |_| ()).unwrap_or_else(|failure| panic!("{}", messages(&failure)));
        let told = translated.diagnostics.entries.iter().any(|entry| entry.code.text == "undefined-in-init");
        assert_eq!(told, is_out, "{initialiser}");
        assert_eq!(translated.open_start().is_some(), is_out, "{initialiser}");
    }
}

/// Reading ends where the time is up, or where the user asks for it.
#[test]
fn a_limit_ends_the_reading() {
    let text = "int out; void step(int in) { out = in; }";
    let over = Limit { deadline: Some(Instant::now()), ..Limit::default() };
    let stopped = Limit { stop: Some(Arc::new(AtomicBool::new(true))), ..Limit::default() };
    let ahead = Limit {
        deadline: Some(Instant::now() + Duration::from_secs(3600)),
        stop: Some(Arc::default()),
        memory: Some(Arc::default()),
    };
    for (limit, code) in [(over, Some("time-limit")), (stopped, Some("interrupted")), (ahead, None)] {
        let ended = translate_with(text, |request| request.limit = limit.clone()).err();
        let found = ended.map(|failure| failure.diagnostics.entries.last().map(|entry| entry.code.text));
        assert_eq!(found.flatten(), code);
    }
}
