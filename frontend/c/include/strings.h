#ifndef __chaincover_strings_h
#define __chaincover_strings_h
#include <stddef.h>
int bcmp(const void *left, const void *right, size_t size);
void bcopy(const void *from, void *to, size_t size);
void bzero(void *to, size_t size);
int ffs(int bits);
int ffsl(long bits);
int ffsll(long long bits);
char *index(const char *text, int character);
char *rindex(const char *text, int character);
int strcasecmp(const char *left, const char *right);
int strncasecmp(const char *left, const char *right, size_t size);
#endif
