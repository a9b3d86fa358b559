/* Explicit exploration of a compiled step function.
 *
 * The model is a shared library of its own, so its .data and .bss hold the model's memory and nothing else: a state is
 * a copy of these two. A goal is a function that calls the step function under assumptions; a failed assumption leaves it by
 * longjmp. A goal of several steps is followed as a window: the state in which it was begun and the inputs given since; a node of
 * the graph is a state together with all windows that are still open in it.
 */
#include "runtime.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum outcome { BLOCKED = 1, OPEN, COVERED };
enum { MAX_GOALS = 32, MAX_STEPS = 64 };

/* A set of byte or word strings of varying length, numbered in order of insertion. */
struct table {
    unsigned char *bytes;
    size_t used, room;
    size_t *start;
    uint32_t count, slots;
    uint32_t *slot;
};

static struct oracle_model model;
static struct oracle_segment segments[8];
static uint32_t segment_count;
static size_t state_size;
static unsigned char *pristine;

static jmp_buf leave;
static int counting, violated;
static uint32_t calls, wanted, given;
static const uint32_t *vectors_given;
static uint32_t goal_steps[MAX_GOALS];

static struct table states, nodes;
static struct oracle_edge *edges;
static size_t edge_count, edge_room;
static unsigned char *final_nodes;
static uint64_t covered_count[MAX_GOALS], violated_count[MAX_GOALS];
static struct oracle_start { uint32_t goal, state; } *starts;
static size_t start_count, start_room;
static uint32_t *passed;   /* passed[state * vectors + vector]: goals with an occurrence through this transition */
static size_t passed_count, passed_room;

static void *grow(void *block, size_t *room, size_t wanted_room, size_t item)
{
    if (wanted_room > *room) {
        *room = wanted_room * 2 + 1024;
        block = realloc(block, *room * item);
        if (block == NULL) { fprintf(stderr, "oracle: out of memory\n"); exit(1); }
    }
    return block;
}

/* ---- hooks called by the model ---- */

void __CPROVER_assume(_Bool holds) { if (!holds && !counting) longjmp(leave, BLOCKED); }
void __VERIFIER_assume(int holds) { __CPROVER_assume(holds != 0); }
void oracle_assert(int holds) { if (!holds) violated = 1; }

/* Each function of the model reports its end here. */
void oracle_left(void *function)
{
    if (function != model.step_function) return;
    ++calls;
    if (counting || calls >= wanted) return;
    if (calls == given) longjmp(leave, OPEN);
    model.set_inputs(vectors_given[calls]);
}

/* ---- states ---- */

static void load(const unsigned char *from)
{
    for (uint32_t k = 0; k < segment_count; ++k) {
        memcpy(segments[k].start, from, segments[k].length);
        from += segments[k].length;
    }
}

static void save(unsigned char *to)
{
    for (uint32_t k = 0; k < segment_count; ++k) {
        memcpy(to, segments[k].start, segments[k].length);
        to += segments[k].length;
    }
}

static uint64_t hash(const unsigned char *bytes, size_t length)
{
    uint64_t h = 1469598103934665603u;
    for (size_t k = 0; k < length; ++k) { h ^= bytes[k]; h *= 1099511628211u; }
    return h ^ (h >> 29);
}

static void rehash(struct table *t)
{
    t->slots = t->slots ? t->slots * 2 : 1024;
    free(t->slot);
    t->slot = calloc(t->slots, sizeof *t->slot);
    for (uint32_t id = 0; id < t->count; ++id) {
        uint64_t h = hash(t->bytes + t->start[id], t->start[id + 1] - t->start[id]);
        uint32_t place = (uint32_t)(h & (t->slots - 1));
        while (t->slot[place] != 0) place = (place + 1) & (t->slots - 1);
        t->slot[place] = id + 1;
    }
}

static uint32_t intern(struct table *t, const void *bytes, size_t length)
{
    if (t->count * 2 >= t->slots) {
        t->start = realloc(t->start, ((size_t)t->count * 4 + 2048) * sizeof *t->start);
        if (t->count == 0) t->start[0] = 0;
        rehash(t);
    }
    uint32_t place = (uint32_t)(hash(bytes, length) & (t->slots - 1));
    while (t->slot[place] != 0) {
        uint32_t id = t->slot[place] - 1;
        if (t->start[id + 1] - t->start[id] == length && memcmp(t->bytes + t->start[id], bytes, length) == 0) return id;
        place = (place + 1) & (t->slots - 1);
    }
    t->bytes = grow(t->bytes, &t->room, t->used + length, 1);
    memcpy(t->bytes + t->used, bytes, length);
    t->used += length;
    t->start[t->count + 1] = t->used;
    t->slot[place] = t->count + 1;
    return t->count++;
}

static const unsigned char *state(uint32_t id) { return states.bytes + states.start[id]; }

static uint32_t save_state(void)
{
    static unsigned char *buffer;
    if (buffer == NULL) buffer = malloc(state_size);
    model.clear_inputs();
    save(buffer);
    return intern(&states, buffer, state_size);
}

/* ---- running single functions of the model ---- */

static int holds(void (*condition)(void))
{
    wanted = given = 0;
    if (setjmp(leave) != 0) return 0;
    condition();
    return 1;
}

static enum outcome run_goal(uint32_t goal, uint32_t from, const uint32_t *inputs, uint32_t count)
{
    load(state(from));
    calls = 0;
    wanted = goal_steps[goal];
    given = count;
    vectors_given = inputs;
    violated = 0;
    int left = setjmp(leave);
    if (left != 0) return (enum outcome)left;
    model.set_inputs(inputs[0]);
    model.goal(goal);
    return COVERED;
}

static void take_step(uint32_t from, uint32_t vector)
{
    load(state(from));
    model.set_inputs(vector);
    wanted = given = 0;
    if (setjmp(leave) != 0) { fprintf(stderr, "oracle: an assumption inside the step function is not supported\n"); exit(1); }
    model.step();
}

static uint32_t count_steps(uint32_t goal)
{
    load(pristine);
    counting = 1;
    calls = 0;
    model.set_inputs(0);
    model.goal(goal);
    counting = 0;
    return calls;
}

/* ---- exploration ---- */

static void add_edge(uint32_t first, struct oracle_edge edge)
{
    for (size_t k = first; k < edge_count; ++k)
        if (edges[k].to == edge.to && edges[k].covers == edge.covers) return;
    edges = grow(edges, &edge_room, edge_count + 1, sizeof *edges);
    edges[edge_count++] = edge;
}

static void note_start(uint32_t goal, uint32_t from)
{
    for (size_t k = start_count; k-- > 0 && k + 8 > start_count;)
        if (starts[k].goal == goal && starts[k].state == from) return;
    starts = grow(starts, &start_room, start_count + 1, sizeof *starts);
    starts[start_count++] = (struct oracle_start){ goal, from };
}

/* Notes the transitions of an occurrence. */
static void note_passed(uint32_t goal, uint32_t from, const uint32_t *inputs, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        size_t place = (size_t)from * model.vectors + inputs[k];
        if (place >= passed_count) {
            passed = grow(passed, &passed_room, place + 1, sizeof *passed);
            memset(passed + passed_count, 0, (passed_room - passed_count) * sizeof *passed);
            passed_count = passed_room;
        }
        passed[place] |= 1u << goal;
        if (k + 1 == count) return;
        take_step(from, inputs[k]);
        from = save_state();
    }
}

/* Appends the window to `out` (goal, start, length, inputs) if it stays open; marks the goal if it is completed. */
static size_t follow(uint32_t goal, uint32_t from, const uint32_t *inputs, uint32_t count, uint32_t *out, uint32_t *covers)
{
    switch (run_goal(goal, from, inputs, count)) {
    case COVERED:
        *covers |= 1u << goal;
        covered_count[goal]++;
        violated_count[goal] += violated ? 1 : 0;
        note_start(goal, from);
        note_passed(goal, from, inputs, count);
        return 0;
    case OPEN:
        out[0] = goal; out[1] = from; out[2] = count;
        memcpy(out + 3, inputs, count * sizeof *inputs);
        return 3 + count;
    default:
        return 0;
    }
}

/* One transition of node `id` (its words copied to `old`); false if the assumptions forbid it. */
static int transition(uint32_t id, const uint32_t *old, size_t words, uint32_t vector, size_t first_edge)
{
    static uint32_t next[1 << 16];
    uint32_t inputs[MAX_STEPS], covers = 0;
    size_t length = 1;
    load(state(old[0]));
    model.set_inputs(vector);
    if (!holds(model.assume)) return 0;
    for (size_t k = 1; k < words; k += 3 + old[k + 2]) {
        memcpy(inputs, old + k + 3, old[k + 2] * sizeof *inputs);
        inputs[old[k + 2]] = vector;
        length += follow(old[k], old[k + 1], inputs, old[k + 2] + 1, next + length, &covers);
    }
    inputs[0] = vector;
    for (uint32_t goal = 0; goal < model.goals; ++goal)
        length += follow(goal, old[0], inputs, 1, next + length, &covers);
    take_step(old[0], vector);
    next[0] = save_state();
    uint32_t to = intern(&nodes, next, length * sizeof *next);
    add_edge((uint32_t)first_edge, (struct oracle_edge){ id, to, covers, vector });
    return 1;
}

static void expand(uint32_t id)
{
    static uint32_t old[1 << 16];
    size_t words = (nodes.start[id + 1] - nodes.start[id]) / sizeof *old, first = edge_count;
    memcpy(old, nodes.bytes + nodes.start[id], words * sizeof *old);
    for (uint32_t vector = 0; vector < model.vectors; ++vector)
        transition(id, old, words, vector, first);
}

/* ---- the interface towards Python ---- */

void rt_open(const struct oracle_model *m, const struct oracle_segment *s, uint32_t count)
{
    model = *m;
    segment_count = count;
    state_size = 0;
    for (uint32_t k = 0; k < count; ++k) { segments[k] = s[k]; state_size += s[k].length; }
    pristine = malloc(state_size);
    counting = 1;
    model.reset();
    counting = 0;
    model.clear_inputs();
    save(pristine);
    for (uint32_t goal = 0; goal < model.goals; ++goal) goal_steps[goal] = count_steps(goal);
}

/* The number of nodes; 0 if there are more than `limit`. */
uint32_t rt_explore(uint32_t limit)
{
    load(pristine);
    uint32_t word = save_state();
    intern(&nodes, &word, sizeof word);
    for (uint32_t id = 0; id < nodes.count; ++id) {
        if (nodes.count > limit) return 0;
        expand(id);
    }
    final_nodes = malloc(nodes.count);
    for (uint32_t id = 0; id < nodes.count; ++id) {
        memcpy(&word, nodes.bytes + nodes.start[id], sizeof word);
        load(state(word));
        final_nodes[id] = (unsigned char)holds(model.final);
    }
    return nodes.count;
}

uint32_t rt_states(void) { return states.count; }
uint32_t rt_state_of(uint32_t node) { uint32_t word; memcpy(&word, nodes.bytes + nodes.start[node], sizeof word); return word; }
size_t rt_edges(const struct oracle_edge **all) { *all = edges; return edge_count; }
size_t rt_starts(const struct oracle_start **all) { *all = starts; return start_count; }
size_t rt_passed(const uint32_t **all) { *all = passed; return passed_count; }
const unsigned char *rt_final(void) { return final_nodes; }
uint32_t rt_goal_steps(uint32_t goal) { return goal_steps[goal]; }
uint64_t rt_covered(uint32_t goal) { return covered_count[goal]; }
uint64_t rt_violated(uint32_t goal) { return violated_count[goal]; }
void rt_load(uint32_t node) { load(state(rt_state_of(node))); }
