#ifndef __chaincover_string_h
#define __chaincover_string_h
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *left, const void *right, size_t size);
void *memchr(const void *from, int value, size_t size);
size_t strlen(const char *text);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t size);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t size);
int strcmp(const char *left, const char *right);
int strncmp(const char *left, const char *right, size_t size);
char *strchr(const char *text, int character);
char *strrchr(const char *text, int character);
size_t strnlen(const char *text, size_t size);
size_t strspn(const char *text, const char *set);
size_t strcspn(const char *text, const char *set);
char *strpbrk(const char *text, const char *set);
int strcoll(const char *left, const char *right);
char *stpcpy(char *to, const char *from);
void *mempcpy(void *to, const void *from, size_t size);
char *strchrnul(const char *text, int character);
char *strtok(char *text, const char *set);
char *strstr(const char *text, const char *part);
char *strerror(int number);
char *strdup(const char *text);
char *strndup(const char *text, size_t size);
#endif
