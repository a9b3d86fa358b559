/* Which parts of the C library a program wants: nothing here depends on it. */
