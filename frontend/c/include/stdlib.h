#ifndef __chaincover_stdlib_h
#define __chaincover_stdlib_h
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#if __SIZEOF_INT__ == 2
#define RAND_MAX 32767
#else
#define RAND_MAX 2147483647
#endif
typedef struct { int quot; int rem; } div_t;
typedef struct { long quot; long rem; } ldiv_t;
typedef struct { long long quot; long long rem; } lldiv_t;
void abort(void);
void exit(int status);
void _Exit(int status);
int abs(int value);
long labs(long value);
long long llabs(long long value);
div_t div(int dividend, int divisor);
ldiv_t ldiv(long dividend, long divisor);
lldiv_t lldiv(long long dividend, long long divisor);
int rand(void);
int rand_r(unsigned int *seed);
void srand(unsigned int seed);
double drand48(void);
long lrand48(void);
long mrand48(void);
void srand48(long seed);
int atoi(const char *text);
long atol(const char *text);
long long atoll(const char *text);
double atof(const char *text);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
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
