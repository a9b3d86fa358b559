/* With NDEBUG the model's own assertions vanish, as in C. Those of property files stay: they are the oracle. */
#undef assert
#if defined NDEBUG && !defined __CHAINCOVER_PROPERTY_FILE__
#define assert(condition) ((void)0)
#else
#define assert(condition) __chaincover_assert(condition)
#endif
#ifndef __chaincover_assert_h
#define __chaincover_assert_h
void __chaincover_assert(_Bool condition);
#define static_assert _Static_assert
#endif
