#ifndef __chaincover_stdlib_h
#define __chaincover_stdlib_h
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
void abort(void);
void exit(int status);
void _Exit(int status);
int abs(int value);
long labs(long value);
long long llabs(long long value);
int rand(void);
void srand(unsigned int seed);
int atoi(const char *text);
long atol(const char *text);
double atof(const char *text);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
double strtod(const char *text, char **end);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *object, size_t size);
void free(void *object);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **object, size_t alignment, size_t size);
void *alloca(size_t size);
char *getenv(const char *name);
#endif
