/* What stands before each source of an FMU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An allocation is a static object of the type in its `sizeof`, so that pointers, numbers and texts
   in it have cells of their own. Each place in the code allocates once, up to CHAINCOVER_MOST
   elements where their number is no constant; beyond that there is no memory. Whatever is released
   is not given out again. */
#define CHAINCOVER_MOST 256
#define calloc(count, size) chaincover_block(count, chaincover_##size)
#define malloc(size) chaincover_block(1, chaincover_##size)
#define realloc(block, size) ((void)(block), (void)(size), (void *)0)
#define free(block) ((void)(block))
#define chaincover_sizeof(element) element
#define chaincover_block(count, element)                                                                   \
    ({                                                                                                     \
        static __typeof__(element) chaincover_memory[__builtin_constant_p(count) ? (count) : CHAINCOVER_MOST]; \
        static _Bool chaincover_taken;                                                                     \
        void *chaincover_given = 0;                                                                        \
        if (!chaincover_taken && (count) <= sizeof chaincover_memory / sizeof chaincover_memory[0]) {      \
            chaincover_taken = 1;                                                                          \
            chaincover_given = chaincover_memory;                                                          \
        }                                                                                                  \
        chaincover_given;                                                                                  \
    })

/* Texts that live as long as the instance are not copied. */
#define strdup(text) ((char *)(text))

/* Messages are composed for nobody. */
static inline int chaincover_no_text(char *text, size_t size)
{
    if (text && size > 0)
        text[0] = 0;
    return 0;
}
#define vsnprintf(text, size, format, arguments) chaincover_no_text(text, size)
#define snprintf(text, size, ...) chaincover_no_text(text, size)
#define vsprintf(text, format, arguments) chaincover_no_text(text, 1)
#define sprintf(text, ...) chaincover_no_text(text, 1)
