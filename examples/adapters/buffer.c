/* A buffer with two places as a system under test: one JSON object a line, one answer a request.
   cc buffer.c -o buffer; the searching in the text does for flat objects of truths. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int places = 2, filled = 0;

static bool is_true(const char *line, const char *name) {
    const char *found = strstr(line, name);
    return found && strncmp(found + strlen(name), "true", 4) == 0;
}

/* Replace this: what your system does in one step. */
static void step(bool enq, bool deq, bool is_first) {
    if (!is_first && enq && !deq && filled < places) filled++;
    if (!is_first && deq && !enq && filled > 0) filled--;
    printf("{\"out\":{\"E\":%s,\"F\":%s,\"pc\":%d}}\n", filled == 0 ? "true" : "false",
           filled == places ? "true" : "false", enq || deq ? 2 : 0);
}

int main(int count, char **arguments) {
    static char line[1 << 16];
    if (count > 1) places = atoi(arguments[1]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"reset\"")) {
            filled = 0;
            puts("{\"ok\":true}");
        } else {
            step(is_true(line, "\"enq\":"), is_true(line, "\"deq\":"), strstr(line, "\"step\":0,") != NULL);
        }
    }
    return 0;
}
