static void round_begins(void) {
    if (ENDS && step + 1 == STEPS) quit(9);
    if (step >= 0) print_outputs((unsigned)step);
    print_states((unsigned)(step + 1));
    step++;
    if (step == STEPS) quit(0);
    print_line('B', (unsigned)step, 0, 0);
    forget_calls();
    set_inputs((unsigned)step);
    step_entered();
}
/* Where the function of the loop returns, its variables are shown as it left them: so much room above them keeps what is called
   behind it from writing over that part of the stack. */
__attribute__((noinline)) static void start_below(void) {
    volatile byte room[65536];
    room[0] = 0;
    start();
    room[1] = 0;
}
int main(void) {
    prepare();
    start_below();
    end_program();
    return 0;
}
