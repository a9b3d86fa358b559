/* Exact shortest chains in an explicit graph whose edges are labelled with the goals they complete.
 *
 * Everything here is a breadth-first search over (node, set of covered goals); nodes with the same future are merged before.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct edge { uint32_t from, to, covers, vector; };

enum { FAR = 0xFFFF };

static void *need(void *block)
{
    if (block == NULL) { fprintf(stderr, "oracle: out of memory\n"); exit(1); }
    return block;
}

/* ---- merging nodes with the same future (partition refinement with 128-bit signatures) ---- */

static uint64_t mix(uint64_t h)
{
    h ^= h >> 33; h *= 0xff51afd7ed558ccdu; h ^= h >> 33; h *= 0xc4ceb9fe1a85ec53u;
    return h ^ (h >> 33);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

struct signature { uint64_t low, high; uint32_t node; };

static int by_signature(const void *a, const void *b)
{
    const struct signature *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return 0;
}

static struct signature sign(const struct edge *edges, size_t count, const uint32_t *block, uint32_t node)
{
    uint64_t local[4096];
    for (size_t k = 0; k < count; ++k) local[k] = (uint64_t)block[edges[k].to] << 32 | edges[k].covers;
    qsort(local, count, sizeof *local, by_number);
    struct signature s = { mix(block[node] + 1u), mix(block[node] + 77u), node };
    for (size_t k = 0; k < count; ++k) {
        if (k > 0 && local[k] == local[k - 1]) continue;
        s.low = mix(s.low * 31 + mix(local[k] + 1));
        s.high = mix(s.high * 37 + mix(local[k] ^ 0x9e3779b97f4a7c15u));
    }
    return s;
}

static uint32_t number_blocks(struct signature *all, uint32_t nodes, uint32_t *block)
{
    uint32_t blocks = 0;
    qsort(all, nodes, sizeof *all, by_signature);
    for (uint32_t k = 0; k < nodes; ++k) {
        if (k > 0 && by_signature(&all[k - 1], &all[k]) != 0) ++blocks;
        block[all[k].node] = blocks;
    }
    return blocks + 1;
}

/* Edges are sorted by `from`, first[n] .. first[n + 1] are those of node n. Fills `block`, returns the number of blocks. */
uint32_t se_merge(uint32_t nodes, const struct edge *edges, const size_t *first, const unsigned char *final, uint32_t *block)
{
    struct signature *all = need(malloc(nodes * sizeof *all));
    uint32_t blocks = 1, before = 0;
    for (uint32_t n = 0; n < nodes; ++n) { block[n] = final[n]; }
    while (blocks != before) {
        before = blocks;
        for (uint32_t n = 0; n < nodes; ++n) all[n] = sign(edges + first[n], first[n + 1] - first[n], block, n);
        blocks = number_blocks(all, nodes, block);
    }
    free(all);
    return blocks;
}

/* ---- breadth-first search over (node, covered) ---- */

struct queue { uint64_t *item; size_t used, room; };

static void push(struct queue *q, uint64_t item)
{
    if (q->used == q->room) {
        q->room = q->room * 2 + 1024;
        q->item = need(realloc(q->item, q->room * sizeof *q->item));
    }
    q->item[q->used++] = item;
}

/* Fills distance[node << goals | covered] (FAR where not reached) and shortest[covered], the length of the shortest chain from
 * `init` that ends in a final node having covered exactly that set. Stops early when the full set is done, if `single`.
 * Returns the number of levels, FAR if there are too many. */
uint32_t se_chains(uint32_t nodes, const struct edge *edges, const size_t *first, const unsigned char *final, uint32_t init,
                   uint32_t goals, int single, uint16_t *distance, uint16_t *shortest)
{
    uint64_t sets = (uint64_t)1 << goals;
    struct queue now = { 0 }, next = { 0 };
    memset(distance, 0xFF, nodes * sets * sizeof *distance);
    memset(shortest, 0xFF, sets * sizeof *shortest);
    distance[init * sets] = 0;
    push(&now, init * sets);
    uint32_t level = 0;
    for (; now.used > 0 && level < FAR; ++level) {
        next.used = 0;
        for (size_t k = 0; k < now.used; ++k) {
            uint32_t node = (uint32_t)(now.item[k] >> goals), covered = (uint32_t)(now.item[k] & (sets - 1));
            if (final[node] && shortest[covered] == FAR) shortest[covered] = (uint16_t)level;
            for (size_t e = first[node]; e < first[node + 1]; ++e) {
                uint64_t item = edges[e].to * sets | covered | edges[e].covers;
                if (distance[item] != FAR) continue;
                distance[item] = (uint16_t)(level + 1);
                push(&next, item);
            }
        }
        if (single && shortest[sets - 1] != FAR) break;
        struct queue swap = now; now = next; next = swap;
    }
    free(now.item);
    free(next.item);
    return level;
}

/* In place: the shortest chain that covers at least the set; then the best total of `chains` chains for each set.
 * `total` holds the totals for chains - 1 and is overwritten. */
void se_supersets(uint32_t goals, uint16_t *shortest)
{
    for (uint32_t g = 0; g < goals; ++g)
        for (uint32_t set = 0; set < 1u << goals; ++set)
            if (!(set >> g & 1) && shortest[set | 1u << g] < shortest[set]) shortest[set] = shortest[set | 1u << g];
}

uint32_t se_total(uint32_t goals, const uint16_t *one, const uint16_t *fewer, uint16_t *total, uint32_t set)
{
    uint32_t best = FAR;
    for (uint32_t part = set;; part = (part - 1) & set) {
        if (one[part] != FAR && fewer[set & ~part] != FAR && (uint32_t)one[part] + fewer[set & ~part] < best)
            best = (uint32_t)one[part] + fewer[set & ~part];
        if (part == 0) break;
    }
    (void)goals;
    if (total != NULL) total[set] = (uint16_t)best;
    return best;
}

/* Distances from every node to the nearest marked one. `reverse` lists edge numbers sorted by `to`. */
void se_backward(uint32_t nodes, const struct edge *edges, size_t edge_count, const unsigned char *marked, uint16_t *distance)
{
    size_t *first = need(calloc(nodes + 1, sizeof *first)), *fill = need(calloc(nodes + 1, sizeof *fill));
    uint32_t *source = need(malloc((edge_count + 1) * sizeof *source)), *queue = need(malloc((nodes + 1) * sizeof *queue));
    size_t head = 0, tail = 0;
    for (size_t e = 0; e < edge_count; ++e) ++first[edges[e].to + 1];
    for (uint32_t n = 0; n < nodes; ++n) { first[n + 1] += first[n]; fill[n] = first[n]; }
    for (size_t e = 0; e < edge_count; ++e) source[fill[edges[e].to]++] = edges[e].from;
    for (uint32_t n = 0; n < nodes; ++n) {
        distance[n] = marked[n] ? 0 : FAR;
        if (marked[n]) queue[tail++] = n;
    }
    while (head < tail) {
        uint32_t n = queue[head++];
        for (size_t k = first[n]; k < first[n + 1]; ++k) {
            if (distance[source[k]] != FAR) continue;
            distance[source[k]] = (uint16_t)(distance[n] + 1);
            queue[tail++] = source[k];
        }
    }
    free(first); free(fill); free(source); free(queue);
}

/* Marks those (node, covered) that lie on a shortest chain to a final node with the full set; 1 or 0, 2 where not asked. */
static const struct edge *g_edges;
static const size_t *g_first;
static const unsigned char *g_final;
static const uint16_t *g_distance;
static unsigned char *g_good;
static uint32_t g_goals, g_length;

static int good(uint64_t item)
{
    if (g_good[item] != 2) return g_good[item];
    uint64_t sets = (uint64_t)1 << g_goals;
    uint32_t node = (uint32_t)(item >> g_goals), covered = (uint32_t)(item & (sets - 1));
    int found = 0;
    if (g_distance[item] == g_length) {
        found = covered == sets - 1 && g_final[node];
    } else {
        for (size_t e = g_first[node]; e < g_first[node + 1]; ++e) {
            uint64_t to = g_edges[e].to * sets | covered | g_edges[e].covers;
            if (g_distance[to] == g_distance[item] + 1 && good(to)) found = 1;
        }
    }
    g_good[item] = (unsigned char)found;
    return found;
}

void se_good(uint32_t nodes, const struct edge *edges, const size_t *first, const unsigned char *final, uint32_t init,
             uint32_t goals, uint32_t length, const uint16_t *distance, unsigned char *marks)
{
    g_edges = edges; g_first = first; g_final = final; g_distance = distance;
    g_good = marks; g_goals = goals; g_length = length;
    memset(marks, 2, (size_t)nodes << goals);
    good((uint64_t)init << goals);
}
