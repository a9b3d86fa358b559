typedef unsigned char byte;
typedef unsigned long long wide;
typedef __SIZE_TYPE__ size;
typedef __UINT64_TYPE__ uint64_t;
static int step = -1;
static void end_process(int code);
static void put(const char *text, size count);
static void end_program(void);
/* What is printed waits for the next step, which may be the last one that this program lives to see. */
static char waiting[1 << 14];
static unsigned filled;
static void flush(void) {
    const unsigned count = filled;
    filled = 0;
    put(waiting, count);
}
static void quit(int code) { flush(); end_process(code); }
static wide load(const byte *place, unsigned low, unsigned width) {
    wide value = 0;
    unsigned bit;
    if (!place) return 0;
    for (bit = 0; bit < width; bit++) value |= (wide)(place[(low + bit) / 8] >> (low + bit) % 8 & 1) << bit;
    return value;
}
static void store(byte *place, unsigned low, unsigned width, wide value) {
    unsigned bit;
    if (!place) return;
    for (bit = 0; bit < width; bit++) {
        byte *const target = place + (low + bit) / 8;
        const byte mask = (byte)(1u << (low + bit) % 8);
        *target = (byte)((*target & ~mask) | (value >> bit & 1 ? mask : 0));
    }
}
static void clear(void *place, size count) {
    byte *target = place;
    while (count-- > 0) *target++ = 0;
}
static byte *nth(byte *const *all, size count, unsigned wanted) {
    size index;
    for (index = 0; index < count; index++) if (all[index] && wanted-- == 0) return all[index];
    return 0;
}
