#define ZEROS 0u
#define RESULT 16u
static uint8_t memory[MEMORY + 16];
static int errors;
static void before_step(void);
static void end_program(void);
static void mark(unsigned function, int holds);
static void mark_failed(unsigned function);
static void assumed(int holds);
static void feed(int function, uint64_t result, const uint64_t *pointers);
static uint64_t enter(uint64_t bytes) {
    const uint64_t frame = stack;
    if (frame + bytes > MEMORY) { fprintf(stderr, "stack overflow\n"); exit(9); }
    memset(memory + frame, 0, bytes);
    stack = frame + bytes;
    return frame;
}
/* Accesses through null pointers and beyond memory read zero and write nothing. */
static int is_valid(uint64_t address, uint64_t size) {
    return (address >= FIRST || (address >= RESULT && address + size <= FIRST)) && address <= MEMORY && size <= MEMORY - address;
}
static uint64_t load(uint64_t address, unsigned low, unsigned width) {
    uint64_t value = 0;
    unsigned first, bytes, index;
    address += low / 8;
    first = low % 8;
    bytes = (first + width + 7) / 8;
    if (!is_valid(address, bytes)) return 0;
    for (index = 0; index < bytes && index < 8; index++) value |= (uint64_t)memory[address + index] << (8 * index);
    value >>= first;
    if (first + width > 64) value |= (uint64_t)memory[address + 8] << (64 - first);
    return width < 64 ? value & ((1ull << width) - 1) : value;
}
static void store(uint64_t address, unsigned low, unsigned width, uint64_t value) {
    unsigned index;
    address += low / 8;
    low %= 8;
    if (!is_valid(address, (low + width + 7) / 8)) return;
    if (low == 0 && width % 8 == 0) {
        for (index = 0; index < width / 8; index++) memory[address + index] = (uint8_t)(value >> (8 * index));
        return;
    }
    for (index = 0; index < width; index++) {
        const unsigned bit = low + index;
        const uint8_t mask = (uint8_t)(1u << (bit % 8));
        if (value >> index & 1) memory[address + bit / 8] |= mask;
        else memory[address + bit / 8] &= (uint8_t)~mask;
    }
}
static void copy(uint64_t to, uint64_t from, uint64_t size) {
    if (!is_valid(to, size)) return;
    if (is_valid(from, size)) memmove(memory + to, memory + from, size);
    else memset(memory + to, 0, size);
}
static void fill(uint64_t to, int byte, uint64_t size) {
    if (is_valid(to, size)) memset(memory + to, byte, size);
}
static int compare(uint64_t left, uint64_t right, uint64_t size) {
    uint64_t index;
    if (!is_valid(left, size) || !is_valid(right, size)) return 0;
    for (index = 0; index < size; index++) {
        if (memory[left + index] != memory[right + index]) return memory[left + index] - memory[right + index];
    }
    return 0;
}
static uint64_t text_length(uint64_t text, uint64_t limit) {
    uint64_t index = 0;
    while (index < limit && load(text + index, 0, 8)) index++;
    return index;
}
static int text_compare(uint64_t left, uint64_t right, uint64_t limit) {
    uint64_t index;
    for (index = 0; index < limit; index++) {
        const int first = (int)load(left + index, 0, 8), second = (int)load(right + index, 0, 8);
        if (first != second || !first) return first - second;
    }
    return 0;
}
static uint64_t text_copy(uint64_t to, uint64_t from, uint64_t limit, int is_filled) {
    uint64_t index, byte = 1;
    for (index = 0; index < limit && (byte || is_filled); index++) {
        if (byte) byte = load(from + index, 0, 8);
        store(to + index, 0, 8, byte);
    }
    return to;
}
static uint64_t text_find(uint64_t text, int wanted, uint64_t limit, int ends_at_zero, int is_last) {
    uint64_t index, found = 0;
    for (index = 0; index < limit && is_valid(text + index, 1); index++) {
        const uint64_t byte = load(text + index, 0, 8);
        if (byte == (uint8_t)wanted) {
            found = text + index;
            if (!is_last) break;
        }
        if (ends_at_zero && !byte) break;
    }
    return found;
}
static uint64_t within(uint64_t address, uint64_t offset) { return address < FIRST && address != RESULT ? address : address + offset; }
static uint64_t element(uint64_t address, uint64_t index, uint64_t length, uint64_t size) {
    return index < length && (address >= FIRST || address == RESULT) ? address + index * size : 0;
}
static uint64_t widened(uint64_t bits, unsigned width) {
    return width < 64 && bits >> (width - 1) & 1 ? bits | ~0ull << width : bits;
}
static float single(uint32_t bits) { float value; memcpy(&value, &bits, 4); return value; }
static double double_(uint64_t bits) { double value; memcpy(&value, &bits, 8); return value; }
static uint64_t single_bits(float value) { uint32_t bits; memcpy(&bits, &value, 4); return bits; }
static uint64_t double_bits(double value) { uint64_t bits; memcpy(&bits, &value, 8); return bits; }
static float float_canonical(float value) { return value == value ? value : single(0x7fc00000u); }
static double double_canonical(double value) { return value == value ? value : double_(0x7ff8000000000000ull); }
static int64_t sdiv(int64_t a, int64_t b) {
    if (b == 0) return a < 0 ? 1 : -1;
    return b == -1 ? (int64_t)(0u - (uint64_t)a) : a / b;
}
static int64_t srem(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
static uint64_t udiv(uint64_t a, uint64_t b) { return b == 0 ? ~0ull : a / b; }
static uint64_t urem(uint64_t a, uint64_t b) { return b == 0 ? a : a % b; }
static uint64_t shl(uint64_t a, uint64_t amount, unsigned width) { return amount >= width ? 0 : a << amount; }
static uint64_t shr(uint64_t a, uint64_t amount, unsigned width) { return amount >= width ? 0 : a >> amount; }
static int64_t sar(int64_t a, uint64_t amount, unsigned width) {
    return amount >= width ? (a < 0 ? -1 : 0) : a >> amount;
}
/* The truncated value modulo 2^64; 0 for infinities and NaN. */
static uint64_t truncated(double value) {
    uint64_t bits = double_bits(value), mantissa;
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
    if ((bits >> 52 & 0x7ff) == 0x7ff || exponent >= 64 || exponent <= -53) return 0;
    mantissa = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
    mantissa = exponent >= 0 ? mantissa << exponent : mantissa >> -exponent;
    return bits >> 63 ? 0u - mantissa : mantissa;
}
