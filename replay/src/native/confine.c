/* Runs a program within limits that it cannot lift:
 *     confine SECONDS BYTES WRITES READS FOLDER PROGRAM [ARGUMENT...]
 * WRITES is 1 where it may write the files that the folder holds already, 2 where it may make files
 * there, READS is 1 where it may read whatever its user may. Limits of the system hold on every kernel. Where the kernel knows them, a
 * filter ends the program when it asks for what no replay needs, and Landlock keeps it from files.
 * Definitions are own ones: headers may be older than kernels. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
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
    limit(RLIMIT_MEMLOCK, 0);
    limit(RLIMIT_MSGQUEUE, 0);
}

/* Where memory runs out, the system ends this program before all others. */
static void end_first(void) {
    const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    if (write(file, "1000", 4) < 0) { /* It is ended as others are. */ }
    close(file);
}

/* What this tool was started with may be open for writing: a log, a lock, a terminal. */
static void close_inherited(void) {
    int file, most;
    if (syscall(436 /* close_range */, 3u, ~0u, 0u) == 0) return;
    most = (int)sysconf(_SC_OPEN_MAX);
    for (file = 3; file < most; file++) close(file);
}

/* Nobody is root behind this; where that is not allowed, there is nothing to drop. */
static void drop_privileges(void) {
    struct { uint32_t version; int32_t process; } head = { 0x20080522, 0 };
    struct { uint32_t effective, permitted, inheritable; } none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
    int number;
    for (number = 0; number < 64; number++) prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
    syscall(SYS_capset, &head, none);
}

/* ---- Landlock ---- */

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, ASK_VERSION = 1, PATH_BENEATH = 1 };
/* Writing, removing and making whatever a folder can hold; linking elsewhere; truncating; controls of devices. */
enum { EXECUTE = 1 << 0, WRITE = 1 << 1, READ = 1 << 2, LIST = 1 << 3, WRITING = WRITE | 0x1ff << 4 };
enum { MAKE = 1 << 8, REFERRING = 1 << 13, TRUNCATING = 1 << 14, CONTROLLING = 1 << 15 };
enum { TCP = 3, SCOPED = 3 };
struct ruleset { uint64_t files, network, scoped; };
struct beneath { uint64_t allowed; int32_t place; } __attribute__((packed));

static void allow(int set, const char *path, uint64_t what) {
    struct beneath rule;
    rule.allowed = what;
    rule.place = open(path, O_PATH | O_CLOEXEC);
    if (rule.place < 0) return;
    /* A file has no entries that could be listed. */
    if (syscall(ADD_RULE, set, PATH_BENEATH, &rule, 0) != 0) {
        rule.allowed &= ~(uint64_t)LIST;
        syscall(ADD_RULE, set, PATH_BENEATH, &rule, 0);
    }
    close(rule.place);
}

/* The program's loader is this one's, too: one compiler has made both. */
static int allow_loader(struct dl_phdr_info *info, size_t size, void *set) {
    int index;
    (void)size;
    for (index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[index];
        if (part->p_type == PT_INTERP) allow(*(int *)set, (const char *)(info->dlpi_addr + part->p_vaddr), EXECUTE | READ);
    }
    return 1;
}

/* Where an installed program lies, and what belongs to it: the folder above that of the program. */
static void allow_installation(int set, const char *program) {
    char *path = program[0] == '/' ? realpath(program, NULL) : NULL;
    int level;
    if (!path) return;
    allow(set, path, EXECUTE | READ);
    for (level = 0; level < 2; level++) {
        char *end = strrchr(path, '/');
        if (!end) return;
        *end = 0;
    }
    if (*path) allow(set, path, READ | LIST);
}

static void limit_files(const char *folder, const char *program, char writes, int reads) {
    /* What a loader reads, and memory of zeros and random numbers. */
    static const char *const common[] = { "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/opt", "/nix/store", "/gnu/store",
        "/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/ld-musl-x86_64.path", "/etc/ld-musl-aarch64.path", "/dev/null", "/dev/zero", "/dev/urandom" };
    const long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
    const uint64_t truncating = version >= 3 ? TRUNCATING : 0;
    struct ruleset rules = { WRITING, 0, 0 };
    size_t size = sizeof rules.files, index;
    int set;
    if (version < 1) return;
    if (version >= 2) rules.files |= REFERRING;
    rules.files |= truncating;
    if (version >= 4) { rules.network = TCP; size += sizeof rules.network; }
    if (version >= 5) rules.files |= CONTROLLING;
    if (version >= 6) { rules.scoped = SCOPED; size += sizeof rules.scoped; }
    if (!reads) rules.files |= EXECUTE | READ | LIST;
    set = (int)syscall(CREATE_RULESET, &rules, size, 0);
    if (set < 0) return;
    if (!reads) {
        for (index = 0; index < sizeof common / sizeof *common; index++) allow(set, common[index], READ | LIST);
        dl_iterate_phdr(allow_loader, &set);
        allow_installation(set, program);
    }
    {
        const uint64_t writing = writes == '2' ? WRITE | MAKE | truncating : writes == '1' ? WRITE | truncating : 0;
        const uint64_t here = (reads ? 0 : EXECUTE | READ | LIST) | writing;
        if (here) allow(set, folder, here);
    }
    syscall(RESTRICT_SELF, set, 0);
    close(set);
}

/* ---- a filter of system calls ---- */

#ifdef __x86_64__
struct instruction { uint16_t code; uint8_t then, otherwise; uint32_t value; };
struct filter { unsigned short length; struct instruction *code; };
enum { LOAD = 0x20, JUMP = 0x05, EQUAL = 0x15, AT_LEAST = 0x35, RETURN = 0x06, MOST = 1024 };
enum { NUMBER = 0, MACHINE = 4, ARGUMENTS = 16 };
static const uint32_t END = 0x80000000u, REFUSE = 0x00050000u | EPERM, ALLOW = 0x7fff0000u;
static struct instruction code[MOST];
static unsigned length;

static void add(uint16_t what, uint32_t value, uint8_t then, uint8_t otherwise) {
    code[length].code = what;
    code[length].value = value;
    code[length].then = then;
    code[length++].otherwise = otherwise;
}

/* Ends the program at a call. */
static void end_at(uint32_t call) {
    add(EQUAL, call, 0, 1);
    add(RETURN, END, 0, 0);
}

/* Ends the program at a call one of whose arguments has another value. */
static void end_unless(uint32_t call, unsigned argument, uint32_t value) {
    add(EQUAL, call, 0, 6);
    add(LOAD, ARGUMENTS + 8 * argument, 0, 0);
    add(EQUAL, value, 0, 2);
    add(LOAD, ARGUMENTS + 8 * argument + 4, 0, 0);
    add(EQUAL, 0, 1, 0);
    add(RETURN, END, 0, 0);
    add(LOAD, NUMBER, 0, 0);
}

/* Refuses a call one of whose arguments, a number of 32 bits, is one of those or is not, and lets it go on otherwise. */
static void refuse_if(uint32_t call, unsigned argument, const uint32_t *values, unsigned count, int is) {
    unsigned index;
    add(EQUAL, call, 0, (uint8_t)(count + 4));
    add(LOAD, ARGUMENTS + 8 * argument, 0, 0);
    for (index = 0; index < count; index++) add(EQUAL, values[index], (uint8_t)(count - 1 - index + (is ? 1 : 0)), 0);
    add(RETURN, is ? ALLOW : REFUSE, 0, 0);
    add(RETURN, is ? REFUSE : ALLOW, 0, 0);
    add(LOAD, NUMBER, 0, 0);
}

/* Calls that differ between programs for 64 and 32 bits and end the program, each row as its comment says. */
static const uint32_t wide[] = {
    56, 57, 58, /* clone, fork, vfork */
    41, 53, 49, 50, 42, 44, 46, 307, /* socket, socketpair, bind, listen, connect, sendto, sendmsg, sendmmsg */
    62, 200, 129, 297, /* kill, tkill, rt_sigqueueinfo, rt_tgsigqueueinfo */
    101, 310, 311, 312, /* ptrace, process_vm_readv, process_vm_writev, kcmp */
    109, 112, 157, /* setpgid, setsid, prctl: the process group is killed when the time is up or the caller ends */
    160, 141, 142, 144, 203, 314, 251, 256, 279, /* setrlimit, setpriority, sched_set..., ioprio_set, migrate_pages, move_pages */
    29, 30, 64, 68, 240, 319, 250, 248, 249, /* shmget, shmat, semget, msgget, mq_open, memfd_create, keyctl, add_key, request_key: they last or count as nobody's */
    90, 91, 268, 92, 93, 94, 260, 132, 235, 261, 280, /* chmod, chown, utime and their kin, which Landlock does not know */
    188, 189, 190, 197, 198, 199, /* setxattr, removexattr and their kin */
    321, 298, 323, 272, 308, 300, 304, /* bpf, perf_event_open, userfaultfd, unshare, setns, fanotify_init, open_by_handle_at */
    165, 166, 155, 161, 167, 168, 169, 170, 171, 172, 173, 175, 313, 176, 246, 320, 179, 163, 103, /* what only root may do */
    164, 227, 159, 305, 135, 154, 153, 134, /* clocks, personality, modify_ldt, vhangup, uselib */
};
static const uint32_t narrow[] = {
    120, 2, 190,
    359, 102, 360, 361, 363, 362, 369, 370, 345,
    37, 238, 178, 335,
    26, 347, 348, 349,
    57, 66, 172,
    75, 97, 34, 154, 156, 241, 351, 289, 294, 317,
    117, 395, 397, 393, 399, 277, 356, 288, 286, 287,
    15, 94, 306, 182, 95, 16, 212, 207, 198, 298, 30, 271, 299, 320, 412,
    226, 227, 228, 235, 236, 237,
    357, 336, 374, 310, 346, 338, 342,
    21, 22, 52, 217, 61, 87, 115, 88, 74, 121, 110, 101, 128, 350, 129, 283, 131, 51, 103,
    25, 79, 264, 404, 124, 343, 405, 136, 123, 113, 166, 111, 86,
};
/* The same number everywhere: pidfd_send_signal, io_uring (which gets past this filter), mounts, pidfd_open, clone3, openat2 is harmless,
 * pidfd_getfd, process_madvise, mount_setattr, quotactl_fd, memfd_secret, process_mrelease, fchmodat2, setxattrat, removexattrat. */
static const uint32_t both[] = { 424, 425, 426, 427, 428, 429, 430, 431, 432, 433, 434, 435, 438, 440, 442, 443, 447, 448, 452, 463, 466 };
/* ioctl asks whether a file is a terminal, and nothing else; fcntl: F_SETSIG, F_SETOWN, F_SETOWN_EX send signals to others. */
static const uint32_t terminal[] = { 0x5401 }, signalling[] = { 10, 8, 15 };

static void end_at_each(const uint32_t *calls, size_t count) {
    size_t index;
    for (index = 0; index < count; index++) end_at(calls[index]);
}

static void limit_calls(void) {
    const uint32_t machine_wide = 0xC000003Eu, machine_narrow = 0x40000003u, own = (uint32_t)getpid();
    struct filter filter;
    unsigned over;
    add(LOAD, MACHINE, 0, 0);
    add(EQUAL, machine_wide, 1, 0);
    over = length;
    add(JUMP, 0, 0, 0);
    add(LOAD, NUMBER, 0, 0);
    add(AT_LEAST, 0x40000000u, 0, 1);
    add(RETURN, END, 0, 0);
    end_at_each(wide, sizeof wide / sizeof *wide);
    end_at_each(both, sizeof both / sizeof *both);
    end_unless(234, 0, own);
    end_unless(302, 2, 0);
    refuse_if(16, 1, terminal, 1, 0);
    refuse_if(72, 1, signalling, 3, 1);
    add(RETURN, ALLOW, 0, 0);
    code[over].value = length - over - 1;
    add(EQUAL, machine_narrow, 1, 0);
    add(RETURN, END, 0, 0);
    add(LOAD, NUMBER, 0, 0);
    end_at_each(narrow, sizeof narrow / sizeof *narrow);
    end_at_each(both, sizeof both / sizeof *both);
    end_unless(270, 0, own);
    end_unless(340, 2, 0);
    refuse_if(54, 1, terminal, 1, 0);
    refuse_if(55, 1, signalling, 3, 1);
    refuse_if(221, 1, signalling, 3, 1);
    add(RETURN, ALLOW, 0, 0);
    filter.length = (unsigned short)length;
    filter.code = code;
    prctl(22, 2, &filter, 0, 0);
}
#else
static void limit_calls(void) { }
#endif

/* Of the environment only what finds libraries and programs: the rest may hold what is secret. */
static char **kept_environment(void) {
    static const char *const names[] = { "PATH=", "LD_LIBRARY_PATH=" };
    static char *kept[sizeof names / sizeof *names + 1];
    size_t count = 0, index;
    char **entry;
    for (entry = environ; *entry; entry++)
        for (index = 0; index < sizeof names / sizeof *names; index++)
            if (strncmp(*entry, names[index], strlen(names[index])) == 0 && count < sizeof names / sizeof *names) kept[count++] = *entry;
    return kept;
}

int main(int count, char **words) {
    if (count < 7) return 126;
    /* Its caller may be killed, and must not leave it behind. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close_inherited();
    end_first();
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    drop_privileges();
    limit_files(words[5], words[6], words[3][0], words[4][0] == '1');
    limit_resources(strtoull(words[1], NULL, 10), strtoull(words[2], NULL, 10));
    limit_calls();
    execve(words[6], words + 6, kept_environment());
    fprintf(stderr, "cannot run %s: %s\n", words[6], strerror(errno));
    return 127;
}
