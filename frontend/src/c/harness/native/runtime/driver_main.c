static void round_begins(void) {
    if (step >= 0) print_outputs((unsigned)step);
    print_states((unsigned)(step + 1));
    step++;
    if (step == STEPS) leave(0);
    print_line('B', (unsigned)step, 0, 0);
    forget_calls();
    set_inputs((unsigned)step);
}
int main(void) {
    prepare();
    start();
    end_program();
    return 0;
}
