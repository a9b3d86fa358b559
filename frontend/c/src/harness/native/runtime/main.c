int main(void) {
    prepare();
    start();
    for (step = 0; step < STEPS; step++) {
        print_states((unsigned)step);
        print_line('B', (unsigned)step, 0, 0);
        forget_calls();
        set_inputs((unsigned)step);
        step_entered();
        take_step();
        if (ENDS && step + 1 == STEPS) quit(9);
        print_outputs((unsigned)step);
    }
    print_states(STEPS);
    quit(0);
    return 0;
}
