static void print_end(int at) { print_line('E', (unsigned)at, 0, 0); }
static void end_program(void) {
    if (ENDS && step >= 0 && step + 1 == STEPS) end_early();
    if (step >= 0 && step + 1 == STEPS) {
        print_outputs((unsigned)step);
        print_states((unsigned)step + 1);
        quit(0);
    }
    quit(7);
}
