// Characters in the C locale. Where a function only tells yes from no, yes is the number that the
// GNU C library returns. `src/c/library.rs` says how these files are read.

// isalnum ii
int isalnum(int c) {
    __chaincover_requires(c >= -1 && c <= 255);
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? 8 : 0;
}

// isalpha ii
int isalpha(int c) {
    __chaincover_requires(c >= -1 && c <= 255);
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? 1024 : 0;
}

// isblank ii
int isblank(int c) {
    __chaincover_requires(c >= -1 && c <= 255);
    return c == ' ' || c == 9 ? 1 : 0;
}

// iscntrl ii
int iscntrl(int c) {
    __chaincover_requires(c >= -1 && c <= 255);
    return (c >= 0 && c < ' ') || c == 127 ? 2 : 0;
}

// isdigit ii
int isdigit(int c) {
    __chaincover_requires(c >= -1 && c <= 255);
    return c >= '0' && c <= '9' ? 2048 : 0;
}

// isgraph ii
int isgraph(int c) {
    __chaincover_requires(c >= -1 && c <= 255);
    return c > ' ' && c <= '~' ? 32768 : 0;
}

// islower ii
int islower(int c) {
    __chaincover_requires(c >= -1 && c <= 255);
    return c >= 'a' && c <= 'z' ? 512 : 0;
}

// isprint ii
int isprint(int c) {
    __chaincover_requires(c >= -1 && c <= 255);
    return c >= ' ' && c <= '~' ? 16384 : 0;
}

// ispunct ii
int ispunct(int c) {
    __chaincover_requires(c >= -1 && c <= 255);
    return (c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') || (c > 'z' && c <= '~') ? 4 : 0;
}

// isspace ii
int isspace(int c) {
    __chaincover_requires(c >= -1 && c <= 255);
    return c == ' ' || (c >= 9 && c <= 13) ? 8192 : 0;
}

// isupper ii
int isupper(int c) {
    __chaincover_requires(c >= -1 && c <= 255);
    return c >= 'A' && c <= 'Z' ? 256 : 0;
}

// isxdigit ii
int isxdigit(int c) {
    __chaincover_requires(c >= -1 && c <= 255);
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f') ? 4096 : 0;
}

// isascii ii
int isascii(int c) { return c >= 0 && c <= 127 ? 1 : 0; }

// toascii ii
int toascii(int c) { return c & 127; }

// tolower ii
int tolower(int c) {
    __chaincover_requires(c >= -1 && c <= 255);
    if (c >= 'A' && c <= 'Z') return c + 32;
    return c >= -128 && c < -1 ? c + 256 : c;
}

// toupper ii
int toupper(int c) {
    __chaincover_requires(c >= -1 && c <= 255);
    if (c >= 'a' && c <= 'z') return c - 32;
    return c >= -128 && c < -1 ? c + 256 : c;
}
