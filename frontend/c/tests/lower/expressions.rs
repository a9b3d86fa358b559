//! Expressions: casts that depend on typedef names, conversions, effects.

use crate::lower::support::{body, check_body, read_valid};
use frontend_c::ir::print::ProgramText;
use frontend_c::ir::target::DataModel;

/// Declarations that the tables below use.
const CONTEXT: &str = "
typedef unsigned char T;
typedef struct { int m; T n[3]; } S;
typedef int F(int);
enum e { E0, E1 = 7 };
int g(int);
int i, j, v[4];
T t, *q;
S s, *r;
_Bool b;
unsigned u;
short h;
long long w;
float x;
double y;
";

#[track_caller]
fn check(expression: &str, expected: &str) {
    let loader = read_valid(&format!("{CONTEXT}\nvoid f(void) {{ g({expression}); }}"), DataModel::Ilp32);
    let text = body(loader.program());
    let call = text.lines().last().expect("there should be a call");
    let argument = call.strip_prefix("g(").and_then(|rest| rest.strip_suffix(");"));
    assert_eq!(argument.unwrap_or(call), expected, "{expression}");
}

/// tree-sitter-c knows no typedef names and reads these as operators and calls.
#[test]
fn casts_are_told_from_operators_by_typedef_names() {
    for (expression, expected) in [
        ("(T)-i", "(int)(unsigned char)-i"),
        ("(T)+i", "(int)(unsigned char)i"),
        ("(T)~i", "(int)(unsigned char)~i"),
        ("(T)!i", "(int)(unsigned char)!i"),
        ("(T)*v", "(int)(unsigned char)v[0]"),
        ("(T)-i*j", "((int)(unsigned char)-i * j)"),
        ("(T)-i-j", "((int)(unsigned char)-i - j)"),
        ("(T)(i)", "(int)(unsigned char)i"),
        ("(T)(i)+j", "((int)(unsigned char)i + j)"),
        ("(T)(i) * (T)(j)", "((int)(unsigned char)i * (int)(unsigned char)j)"),
        ("(T)(s).m", "(int)(unsigned char)s.m"),
        ("(T)(v)[j]", "(int)(unsigned char)v[j]"),
        ("(T)(r)->m", "(int)(unsigned char)(*r).m"),
        ("(T)-1", "255"),
        ("g((T)-1)", "%1"),
        ("(T)(T)-i", "(int)(unsigned char)-i"),
        ("*(T*)v", "(int)*(unsigned char *)&v[0]"),
        ("-(T)-i", "-(int)(unsigned char)-i"),
        ("(T)i ? j : 3", "((unsigned char)i ? j : 3)"),
        ("(T)i == j", "((int)(unsigned char)i == j)"),
        ("(T)g(i)", "(int)(unsigned char)%1"),
        ("(int)(T)w", "(int)(unsigned char)w"),
        ("sizeof(T)", "1"),
        ("sizeof(T)*i", "(int)((unsigned int)1 * (unsigned int)i)"),
        ("sizeof(T*)", "4"),
        ("sizeof(T[3])", "3"),
        ("sizeof (T)-1", "0"),
        ("sizeof(i)", "4"),
        ("sizeof -(T)i", "4"),
        ("sizeof((T)-i)", "1"),
        ("(i)-j", "(i - j)"),
        ("(i)*j", "(i * j)"),
        ("(i)&j", "(i & j)"),
        ("(g)(i)", "%1"),
        ("(i)+(T)j", "(i + (int)(unsigned char)j)"),
        ("(S *)q == r", "((struct S *)q == r)"),
        ("((F *)g)(i)", "%1"),
        ("((T[2]){1, 2})[i]", "(int)%literal0[i]"),
        ("(T){5} + i", "((int)%literal0 + i)"),
    ] {
        check(expression, expected);
    }
}

#[test]
fn addresses_can_be_cast() {
    check_body(
        "typedef int *P; typedef unsigned long U; U u; int x; void f(void) { P p = (P)&x; u = (U)&x; u = (U)p & 1; }",
        "int *p;
p = &x;
u = (unsigned long)&x;
u = ((unsigned long)p & (unsigned long)1);",
    );
}

#[test]
fn names_shadow_types_and_back() {
    check_body(
        "typedef int T;
         int x, *p;
         int g(int);
         void f(void) {
             T * q;
             q = p;
             { int T = 3; T * x; g(T * x); g((T)-x); g((T) & x); { typedef short T; T y = (T)-x; } (T) * x; }
             T z = (T)-x;
             for (T T = 1; T < 3; T++) g((T) - x);
             T T = (x)-2;
             T = g(sizeof(T) - 1);
         }",
        "int *q;
q = p;
{
    int T;
    T = 3;
    %1 = (T * x);
    g((T * x));
    g((T - x));
    g((T & x));
    {
        short y;
        y = (short)-x;
    }
    %2 = (T * x);
}
int z;
z = -x;
{
    int T;
    T = 1;
    loop {
        if ((T < 3)) {
        }
        else {
            break;
        }
        g((T - x));
    }
    continuing {
        T = (T + 1);
    }
}
int T;
T = (x - 2);
%3 = g(3);
T = %3;",
    );
}

#[test]
fn parameters_and_members_may_have_names_of_types() {
    check_body(
        "typedef int T, U;
         struct s { T T; U *U; };
         int f(T T, struct s *U) { return (T)-U->T + *U->U; }",
        "return ((T - (*U).T) + *(*U).U);",
    );
}

#[test]
fn conversions_are_explicit() {
    for (expression, expected) in [
        ("t + h", "((int)t + (int)h)"),
        ("t + u", "(int)((unsigned int)t + u)"),
        ("i + w", "(int)((long long)i + w)"),
        ("u + w", "(int)((long long)u + w)"),
        ("i < u", "((unsigned int)i < u)"),
        ("t << w", "((int)t << w)"),
        ("w >> t", "(int)(w >> (int)t)"),
        ("x * i", "(int)(x * (float)i)"),
        ("x * y", "(int)((double)x * y)"),
        ("x + 1.5", "(int)((double)x + 1.5)"),
        ("b", "(int)b"),
        ("b + b", "((int)b + (int)b)"),
        ("!x", "!x"),
        ("(_Bool)x", "(int)(_Bool)x"),
        ("q && x", "(q && x)"),
        ("q == 0", "(q == (unsigned char *)0)"),
        ("0 != q", "((unsigned char *)0 != q)"),
        ("q - &t", "(q - &t)"),
        ("q[i]", "(int)*(q + i)"),
        ("q[u]", "(int)*(q + (int)u)"),
        ("*(q - t)", "(int)*(q + -(int)t)"),
        ("i ? x : u", "(int)(i ? x : (float)u)"),
        ("E1 + 1", "8"),
        ("v[E1 & 3]", "v[3]"),
        ("*(v + i)", "v[i]"),
        ("i[v]", "v[i]"),
        ("&v[2] - v", "(&v[2] - &v[0])"),
        ("(&s)->n[1]", "(int)s.n[1]"),
        ("*&*&i", "i"),
        ("~t", "~(int)t"),
        ("'a'", "97"),
        ("1 ? i : w", "i"),
        ("i && 0", "(i && 0)"),
        ("0 && i", "0"),
        ("2147483647 + 1", "(2147483647 + 1)"),
        ("1 / 0", "(1 / 0)"),
        ("4000000000u + 4000000000u", "-589934592"),
        ("-7 / 2", "-3"),
        ("-7 % 3", "-1"),
        ("1 << 31", "(1 << 31)"),
        ("-1 >> 1", "-1"),
        ("(unsigned char)300", "44"),
        ("(int)2.9", "2"),
        ("(int)1e20", "(int)1e20"),
        ("0.1f + 0.2f > 0.3f", "0"),
        ("0.1 + 0.2 > 0.3", "1"),
    ] {
        check(expression, expected);
    }
}

#[test]
fn effects_become_statements() {
    check_body(
        "int g(int); int a[4], i, x;
         void f(void) {
             a[i] = g(i) + i;
             x = i + g(1);
             x += g(2);
             a[i++] = x--;
             x = g(1) && g(2);
             x = i ? g(3) : 4;
             if (i || g(4)) x = 1;
             i && g(5);
             x = (i = 3, i + 1);
         }",
        "%2 = i;
%1 = g(i);
a[%2] = (%1 + i);
%4 = i;
%3 = g(1);
x = (%4 + %3);
%5 = g(2);
x = (x + %5);
%6 = i;
i = (%6 + 1);
%7 = x;
x = (%7 - 1);
a[%6] = %7;
%8 = g(1);
if (%8) {
    %9 = g(2);
    %10 = (int)(_Bool)%9;
}
else {
    %10 = 0;
}
x = %10;
if (i) {
    %11 = g(3);
    %12 = %11;
}
else {
    %12 = 4;
}
x = %12;
if (i) {
    %14 = 1;
}
else {
    %13 = g(4);
    %14 = (int)(_Bool)%13;
}
if (%14) {
    x = 1;
}
if (i) {
    g(5);
}
i = 3;
x = (i + 1);",
    );
}

/// The value of an assignment is kept, and not read back from a place that the assignment may have
/// moved.
#[test]
fn values_of_assignments_are_kept() {
    check_body(
        "int a[4], r; int g(void); struct s { unsigned b : 3; int c; } s, t;
         void f(void) { r = (a[a[0]] = r + 1); r = ++a[a[0]]; r = a[r] = g(); r = a[0] = 5; r = (s.b = r); r = (s = t).c; ({ g(); }); }",
        "%1 = (r + 1);
a[a[0]] = %1;
r = %1;
%2 = (a[a[0]] + 1);
a[a[0]] = %2;
r = %2;
%4 = r;
%3 = g();
a[%4] = %3;
r = %3;
a[0] = 5;
r = 5;
%5.b = (unsigned int)r;
s.b = %5.b;
r = (int)%5.b;
%6 = t;
s = %6;
%7 = %6;
r = %7.c;
{
    g();
}",
    );
}

#[test]
fn bit_fields_promote_by_their_width() {
    check_body(
        "struct { unsigned a : 3; unsigned b : 32; int c : 5; unsigned long long d : 20; } s; int g(int); unsigned u;
         void f(void) { g(s.a - 5 < 0); g(s.b - 5 < 0); g((unsigned)s.a - 5 < 0); g(s.d - 5 < 0); g(s.c); u = s.a++ - 5; }",
        "g((((int)s.a - 5) < 0));
g(((s.b - (unsigned int)5) < (unsigned int)0));
g((((unsigned int)s.a - (unsigned int)5) < (unsigned int)0));
g((((int)s.d - 5) < 0));
g(s.c);
%1 = (int)s.a;
s.a = (unsigned int)(%1 + 1);
u = (unsigned int)(%1 - 5);",
    );
}

/// Bit-fields wider than `int` keep their width; of two operands the wider one decides.
#[test]
fn wide_bit_fields_keep_their_width() {
    check_body(
        "struct { unsigned long long a : 40; long long b : 33; } s; long long l; void f(void) { l = s.a + 1; l = s.b + s.a; l = s.b + 1LL; l = s.a; }",
        "l = (long long)((unsigned _BitInt(40))s.a + (unsigned _BitInt(40))1);
l = (long long)((unsigned _BitInt(40))(_BitInt(33))s.b + (unsigned _BitInt(40))s.a);
l = ((long long)(_BitInt(33))s.b + (long long)1);
l = (long long)s.a;",
    );
}

#[test]
fn sixteen_bit_targets_have_sixteen_bit_arithmetic() {
    let text = "typedef unsigned char T; T t; unsigned short h; long l; int i; long g(long);
                void f(void) { l = i * i; l = (long)i * i; i = h + t; l = 40000; l = 0x9C40; i = 1 << 15; g(h); }";
    let loader = read_valid(text, DataModel::Ip16);
    assert_eq!(
        body(loader.program()),
        "l = (long)(i * i);
l = ((long)i * (long)i);
i = (int)((unsigned int)h + (unsigned int)t);
l = (long)40000;
l = (long)40000;
i = (1 << 15);
g((long)h);"
    );
}

#[test]
fn void_may_have_other_names() {
    check_body("typedef void Void; Void g(Void); Void f(Void) { g(); (Void)0; }", "g();");
}

#[test]
fn functions_without_result_type_return_int() {
    let loader = read_valid(
        "static helper(int x, int (*g)(void)) { return x; }\nmain() { return helper(1, 0); }",
        DataModel::Ilp32,
    );
    let text = ProgramText(loader.program()).to_string();
    assert_eq!(
        text,
        "static int helper(int x, int (*g)(void)) {\n    return x;\n}\n\
         int main(void) {\n    %1 = helper(1, (int (*)(void))0);\n    return %1;\n}\n"
    );
}
