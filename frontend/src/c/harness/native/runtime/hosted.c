extern long write(int file, const void *text, size count);
extern void _exit(int code);
static void put(const char *text, size count) { write(1, text, count); }
static void quit(int code) { _exit(code); }
