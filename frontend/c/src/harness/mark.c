static unsigned marked;
static void quit(int code);
static void print_end(int at);
static void end_early(void) {
    if (marked != MARKS) quit(8);
    print_end(step);
    quit(0);
}
/* Where the end itself cannot be seen, the run ends with the last call that is, which may be none. */
static void step_entered(void) {
    if (ENDS && step + 1 == STEPS && STOPS && MARKS == 0) end_early();
}
/* A call that makes a goal of its place: in a last step that does not return it has to be the next one expected. */
static void mark(unsigned function, int holds) {
    if (!ENDS || step + 1 != STEPS) return;
    if (marked == MARKS || marks[marked][0] != function || marks[marked][1] != (unsigned)(holds != 0)) quit(8);
    marked++;
    if (STOPS && marked == MARKS) end_early();
}
/* Marks a call whose argument cannot be seen: its truth is taken to be the one expected. */
static void mark_entered(unsigned function) {
    if (ENDS) mark(function, marked < MARKS ? (int)marks[marked][1] : 0);
}
/* A failed assertion, which is expected only where no error was reported before. */
static void mark_failed(unsigned function) {
    if (ENDS && marked < MARKS && marks[marked][0] == function) mark(function, 0);
}
static void assumed(int holds) {
    if (ENDS && step + 1 == STEPS && !holds) end_early();
}
