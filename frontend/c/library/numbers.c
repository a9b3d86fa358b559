// Numbers: division with remainder, and numbers from texts.

// div Dii
typedef struct { int quot, rem; } __chaincover_div;
__chaincover_div div(int a, int b) {
    __chaincover_div both;
    both.quot = a / b;
    both.rem = a % b;
    return both;
}

// ldiv Gll
typedef struct { long quot, rem; } __chaincover_ldiv;
__chaincover_ldiv ldiv(long a, long b) {
    __chaincover_ldiv both;
    both.quot = a / b;
    both.rem = a % b;
    return both;
}

// lldiv Hqq
typedef struct { long long quot, rem; } __chaincover_lldiv;
__chaincover_lldiv lldiv(long long a, long long b) {
    __chaincover_lldiv both;
    both.quot = a / b;
    both.rem = a % b;
    return both;
}

// imaxdiv Mmm
typedef struct { __INT64_TYPE__ quot, rem; } __chaincover_imaxdiv;
__chaincover_imaxdiv imaxdiv(__INT64_TYPE__ a, __INT64_TYPE__ b) {
    __chaincover_imaxdiv both;
    both.quot = a / b;
    both.rem = a % b;
    return both;
}

// ffs ii
int ffs(int bits) { return __builtin_ffs(bits); }

// ffsl il
int ffsl(long bits) { return __builtin_ffsl(bits); }

// ffsll iq
int ffsll(long long bits) { return __builtin_ffsll(bits); }

// difftime dll
double difftime(long later, long earlier) { return (double)((long long)later - earlier); }

// Each byte is read at a known distance from the beginning, so that what is tracked stays small:
// the text is passed once, in phases (0 in front of the sign, 1 behind it, 2 among digits, 3 at the
// x of 0x). `most` and `least` limit the magnitude with and without minus.
// __chaincover_number QtTiQQb
unsigned long long __chaincover_number(const char *text, char **end, int base, unsigned long long most, unsigned long long least, _Bool wraps) {
    unsigned long long value = 0;
    __SIZE_TYPE__ behind = 0;
    int phase = 0, is_negative = 0, is_over = 0;
    if (base < 0 || base == 1 || base > 36) return 0;
    for (__SIZE_TYPE__ i = 0;; i++) {
        const int c = text[i];
        int digit = 36;
        if (phase == 0) {
            if (c == ' ' || (c >= 9 && c <= 13)) continue;
            phase = 1;
            is_negative = c == '-';
            if (c == '-' || c == '+') continue;
        }
        if (phase == 1) {
            phase = 2;
            if (c == '0' && (base == 0 || base == 16) && (text[i + 1] == 'x' || text[i + 1] == 'X')) {
                const int h = text[i + 2];
                if ((h >= '0' && h <= '9') || (h >= 'A' && h <= 'F') || (h >= 'a' && h <= 'f')) {
                    base = 16;
                    phase = 3;
                    continue;
                }
            }
            if (base == 0) base = c == '0' ? 8 : 10;
        }
        if (phase == 3) {
            phase = 2;
            continue;
        }
        if (c >= '0' && c <= '9') digit = c - '0';
        if (c >= 'A' && c <= 'Z') digit = c - 'A' + 10;
        if (c >= 'a' && c <= 'z') digit = c - 'a' + 10;
        if (digit >= base) break;
        const unsigned long long whole = is_negative ? least / (unsigned)base : most / (unsigned)base;
        const int rest = (int)(is_negative ? least % (unsigned)base : most % (unsigned)base);
        if (is_over || value > whole || (value == whole && digit > rest)) is_over = 1;
        else value = value * (unsigned)base + (unsigned)digit;
        behind = i + 1;
    }
    if (end) *end = (char *)text + behind;
    if (is_over) return wraps || !is_negative ? most : 0 - least;
    return is_negative ? 0 - value : value;
}

// strtol ltTi
long strtol(const char *text, char **end, int base) {
    const unsigned long long most = (unsigned long)-1 >> 1;
    return (long)__chaincover_number(text, end, base, most, most + 1, 0);
}

// strtoll qtTi
long long strtoll(const char *text, char **end, int base) {
    const unsigned long long most = (unsigned long long)-1 >> 1;
    return (long long)__chaincover_number(text, end, base, most, most + 1, 0);
}

// strtoul LtTi
unsigned long strtoul(const char *text, char **end, int base) {
    const unsigned long long most = (unsigned long)-1;
    return (unsigned long)__chaincover_number(text, end, base, most, most, 1);
}

// strtoull QtTi
unsigned long long strtoull(const char *text, char **end, int base) {
    const unsigned long long most = (unsigned long long)-1;
    return __chaincover_number(text, end, base, most, most, 1);
}

// strtoimax mtTi
__INT64_TYPE__ strtoimax(const char *text, char **end, int base) {
    const unsigned long long most = (unsigned long long)-1 >> 1;
    return (__INT64_TYPE__)__chaincover_number(text, end, base, most, most + 1, 0);
}

// strtoumax NtTi
__UINT64_TYPE__ strtoumax(const char *text, char **end, int base) {
    const unsigned long long most = (unsigned long long)-1;
    return (__UINT64_TYPE__)__chaincover_number(text, end, base, most, most, 1);
}

// atoi it
int atoi(const char *text) {
    const long value = strtol(text, 0, 10);
    __chaincover_requires(value == (int)value);
    return (int)value;
}

// atol lt
long atol(const char *text) { return strtol(text, 0, 10); }

// atoll qt
long long atoll(const char *text) { return strtoll(text, 0, 10); }

// imaxabs mm
__INT64_TYPE__ imaxabs(__INT64_TYPE__ number) { return number < 0 ? -number : number; }
