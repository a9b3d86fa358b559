static wide original(wide pointer) {
    unsigned index;
    if (pointer == 0) return 0;
    for (index = 0; objects[index][0]; index++) {
        const wide start = (wide)(size)address(objects[index][0]);
        if (start && pointer >= start && pointer - start < objects[index][1])
            return (wide)objects[index][0] << 32 | (pointer - start);
    }
    return pointer;
}
static void feed(unsigned function, void *result, void *const *pointers) {
    static unsigned position;
    const uint64_t *entry = fed + position;
    wide part;
    if (entry[0] != (wide)(step + 1) || entry[1] != function) quit(8);
    for (part = 0; part < entry[2]; part++) {
        const uint64_t *value = entry + 3 + 4 * part;
        byte *const base = value[0] == 0 ? result : pointers[value[0] - 1];
        if (base) store(base + value[1] / 8, (unsigned)(value[1] % 8), (unsigned)value[2], value[3]);
    }
    position += 3 + 4 * (unsigned)entry[2];
}
static unsigned number(char *text, wide value, unsigned base) {
    char digits[24];
    unsigned count = 0, index;
    do {
        digits[count++] = "0123456789abcdef"[(unsigned)(base == 16 ? value & 15 : (unsigned)value % 10)];
        value = base == 16 ? value >> 4 : (unsigned)value / 10;
    } while (value);
    for (index = 0; index < count; index++) text[index] = digits[count - 1 - index];
    return count;
}
static void print_line(char letter, unsigned at, unsigned index, wide value) {
    char *line;
    unsigned count = 0;
    if (filled > sizeof waiting - 80) flush();
    line = waiting + filled;
    line[count++] = letter;
    line[count++] = ' ';
    count += number(line + count, at, 10);
    if (letter != 'B' && letter != 'E') {
        line[count++] = ' ';
        count += number(line + count, index, 10);
        line[count++] = ' ';
        count += number(line + count, value, 16);
    }
    line[count++] = '\n';
    filled += count;
    if (letter == 'B') flush();
}
