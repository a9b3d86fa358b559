// Texts and bytes: what string.h and strings.h have beyond the functions that are known without a
// text.

// strcat ttt
char *strcat(char *to, const char *from) {
    strcpy(to + strlen(to), from);
    return to;
}

// strncat tttz
char *strncat(char *to, const char *from, __SIZE_TYPE__ size) {
    char *const behind = to + strlen(to);
    const __SIZE_TYPE__ length = strnlen(from, size);
    memcpy(behind, from, length);
    behind[length] = 0;
    return to;
}

// stpcpy ttt
char *stpcpy(char *to, const char *from) {
    const __SIZE_TYPE__ length = strlen(from);
    strcpy(to, from);
    return to + length;
}

// mempcpy pppz
void *mempcpy(void *to, const void *from, __SIZE_TYPE__ size) {
    memcpy(to, from, size);
    return (char *)to + size;
}

// bcopy vppz
void bcopy(const void *from, void *to, __SIZE_TYPE__ size) { memmove(to, from, size); }

// bzero vpz
void bzero(void *to, __SIZE_TYPE__ size) { memset(to, 0, size); }

// bcmp ippz
int bcmp(const void *left, const void *right, __SIZE_TYPE__ size) { return memcmp(left, right, size); }

// index tti
char *index(const char *text, int character) { return strchr(text, character); }

// rindex tti
char *rindex(const char *text, int character) { return strrchr(text, character); }

// strchrnul tti
char *strchrnul(const char *text, int character) {
    char *const found = strchr(text, character);
    return found ? found : (char *)text + strlen(text);
}

// strcoll itt
int strcoll(const char *left, const char *right) { return strcmp(left, right); }

// strstr ttt
char *strstr(const char *text, const char *part) {
    for (__SIZE_TYPE__ i = 0;; i++) {
        __SIZE_TYPE__ j = 0;
        while (part[j] && text[i + j] == part[j]) j++;
        if (!part[j]) return (char *)text + i;
        if (!text[i]) return 0;
    }
}

// strspn ztt
__SIZE_TYPE__ strspn(const char *text, const char *set) {
    __SIZE_TYPE__ i = 0;
    while (text[i] && strchr(set, text[i])) i++;
    return i;
}

// strcspn ztt
__SIZE_TYPE__ strcspn(const char *text, const char *set) {
    __SIZE_TYPE__ i = 0;
    while (text[i] && !strchr(set, text[i])) i++;
    return i;
}

// strpbrk ttt
char *strpbrk(const char *text, const char *set) {
    const __SIZE_TYPE__ i = strcspn(text, set);
    return text[i] ? (char *)text + i : 0;
}

// strcasecmp itt
int strcasecmp(const char *left, const char *right) {
    for (__SIZE_TYPE__ i = 0;; i++) {
        int a = (unsigned char)left[i], b = (unsigned char)right[i];
        if (a >= 'A' && a <= 'Z') a += 32;
        if (b >= 'A' && b <= 'Z') b += 32;
        if (a != b || !a) return a - b;
    }
}

// strncasecmp ittz
int strncasecmp(const char *left, const char *right, __SIZE_TYPE__ size) {
    for (__SIZE_TYPE__ i = 0; i < size; i++) {
        int a = (unsigned char)left[i], b = (unsigned char)right[i];
        if (a >= 'A' && a <= 'Z') a += 32;
        if (b >= 'A' && b <= 'Z') b += 32;
        if (a != b || !a) return a - b;
    }
    return 0;
}
