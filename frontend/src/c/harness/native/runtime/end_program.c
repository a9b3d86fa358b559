static void end_program(void) {
    if (step >= 0 && step + 1 == STEPS) {
        print_outputs((unsigned)step);
        print_states((unsigned)step + 1);
        leave(0);
    }
    leave(7);
}
