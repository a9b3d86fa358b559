/* Runs a program within limits that it cannot lift: confine SECONDS BYTES FOLDER PROGRAM [ARGUMENT...]
 * Limits of the system hold on every kernel. Where the kernel knows them, filters keep the program from starting others and from the
 * network, and Landlock from writing outside of the folder. Definitions are own ones: headers may be older than kernels. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void limit(int what, unsigned long long most) {
    struct rlimit both;
    if (getrlimit(what, &both) != 0) return;
    if (both.rlim_max == RLIM_INFINITY || most < both.rlim_max) both.rlim_max = most;
    both.rlim_cur = both.rlim_max;
    setrlimit(what, &both);
}

static void limit_resources(unsigned long long seconds, unsigned long long bytes) {
    limit(RLIMIT_CPU, seconds);
    limit(RLIMIT_AS, bytes);
    limit(RLIMIT_FSIZE, 64ull << 20);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, 64);
    limit(RLIMIT_NPROC, 0);
}

/* ---- Landlock ---- */

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, ASK_VERSION = 1, PATH_BENEATH = 1 };
/* Writing, removing and making whatever a folder can hold; linking elsewhere; truncating. */
enum { WRITING = 1 << 1 | 0x1ff << 4, REFERRING = 1 << 13, TRUNCATING = 1 << 14 };
enum { TCP = 3, SCOPED = 3 };
struct ruleset { uint64_t files, network, scoped; };
struct beneath { uint64_t allowed; int32_t folder; } __attribute__((packed));

static void limit_writing(const char *folder) {
    const long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
    struct ruleset rules = { WRITING, 0, 0 };
    struct beneath rule;
    size_t size = sizeof rules.files;
    int set;
    if (version < 1) return;
    if (version >= 2) rules.files |= REFERRING;
    if (version >= 3) rules.files |= TRUNCATING;
    if (version >= 4) { rules.network = TCP; size += sizeof rules.network; }
    if (version >= 6) { rules.scoped = SCOPED; size += sizeof rules.scoped; }
    set = (int)syscall(CREATE_RULESET, &rules, size, 0);
    if (set < 0) return;
    rule.allowed = rules.files;
    rule.folder = open(folder, O_PATH | O_CLOEXEC);
    if (rule.folder >= 0) syscall(ADD_RULE, set, PATH_BENEATH, &rule, 0);
    syscall(RESTRICT_SELF, set, 0);
    close(set);
}

/* ---- a filter of system calls ---- */

#ifdef __x86_64__
struct instruction { uint16_t code; uint8_t then, otherwise; uint32_t value; };
struct filter { unsigned short length; struct instruction *code; };
enum { LOAD = 0x20, EQUAL = 0x15, AT_LEAST = 0x35, RETURN = 0x06, MOST = 64 };
static struct instruction code[MOST];
static unsigned length;

static void add(uint16_t what, uint32_t value, uint8_t then, uint8_t otherwise) {
    code[length].code = what;
    code[length].value = value;
    code[length].then = then;
    code[length++].otherwise = otherwise;
}

static void refuse_if(uint16_t comparison, uint32_t value) {
    add(comparison, value, 0, 1);
    add(RETURN, 0x00050000u | EPERM, 0, 0);
}

static void limit_calls(void) {
    /* clone, fork, vfork, clone3; socket; kill; ptrace; setpgid, setsid: the process group is killed when the time is up. */
    static const uint32_t wide[] = { 56, 57, 58, 435, 41, 62, 101, 109, 112 };
    /* The same in programs for 32 bits, where sockets have two ways. */
    static const uint32_t narrow[] = { 120, 2, 190, 435, 359, 102, 37, 26, 57, 66 };
    const uint32_t machine_wide = 0xC000003Eu, machine_narrow = 0x40000003u;
    const unsigned wide_length = 2 * (sizeof wide / sizeof *wide) + 4;
    struct filter filter;
    unsigned index;
    add(LOAD, 4, 0, 0);
    add(EQUAL, machine_wide, 0, (uint8_t)wide_length);
    add(LOAD, 0, 0, 0);
    refuse_if(AT_LEAST, 0x40000000u);
    for (index = 0; index < sizeof wide / sizeof *wide; index++) refuse_if(EQUAL, wide[index]);
    add(RETURN, 0x7fff0000u, 0, 0);
    add(EQUAL, machine_narrow, 1, 0);
    add(RETURN, 0x00050000u | EPERM, 0, 0);
    add(LOAD, 0, 0, 0);
    for (index = 0; index < sizeof narrow / sizeof *narrow; index++) refuse_if(EQUAL, narrow[index]);
    add(RETURN, 0x7fff0000u, 0, 0);
    filter.length = (unsigned short)length;
    filter.code = code;
    prctl(22, 2, &filter, 0, 0);
}
#else
static void limit_calls(void) { }
#endif

int main(int count, char **words) {
    if (count < 5) return 126;
    /* Its caller may be killed, and must not leave it behind. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    limit_writing(words[3]);
    limit_calls();
    limit_resources(strtoull(words[1], NULL, 10), strtoull(words[2], NULL, 10));
    execv(words[4], words + 4);
    fprintf(stderr, "cannot run %s: %s\n", words[4], strerror(errno));
    return 127;
}
