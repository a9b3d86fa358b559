/* Replaces <assert.h> for the oracle: a failed assertion is recorded, not fatal. */
#undef assert
#define assert(condition) oracle_assert((condition) ? 1 : 0)
void oracle_assert(int holds);
