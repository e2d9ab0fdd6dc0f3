#ifndef LCFILE_CLINUX_SANDBOX_H
#define LCFILE_CLINUX_SANDBOX_H

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// The calls by which a process drops its own rights. Its new threads inherit the result, and no call restores the
// rights. Functions return 0 (or the value that their comment names) or -1 with errno, unless their comment differs.
// Constants that Debian 12's headers lack are copied from the kernel.

/// prctl(2) with PR_SET_NO_NEW_PRIVS: from now on the process gains no rights by executing a file. The kernel requires
/// this before it accepts a filter.
static inline int clinux_give_up_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
}

/// Prevents other processes of the same user from tracing this process or reading its memory, and disables core dumps.
static inline int clinux_hide_memory(void) {
    return prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
}

/// The kernel sends SIGKILL to this process when the thread that started it ends.
static inline int clinux_die_with_parent(void) {
    return prctl(PR_SET_PDEATHSIG, 9L, 0L, 0L, 0L);
}

/// capset(2) with empty sets: the process has no capabilities, even as root.
static inline int clinux_drop_capabilities(void) {
    struct {
        uint32_t version;
        int pid;
    } header = {0x20080522u, 0};  // _LINUX_CAPABILITY_VERSION_3, this thread
    uint32_t none[6] = {0};       // effective, permitted, inheritable, 64 bits each
    return (int)syscall(SYS_capset, &header, none);
}

// Declared by glibc only with _GNU_SOURCE.
extern int pthread_setattr_default_np(const pthread_attr_t *attributes);

/// Sets the default stack size of new threads in bytes; returns 0 or an error number.
static inline int clinux_set_thread_stacks(size_t size) {
    pthread_attr_t attributes;
    int status = pthread_attr_init(&attributes);
    if (status == 0) status = pthread_attr_setstacksize(&attributes, size);
    if (status == 0) status = pthread_setattr_default_np(&attributes);
    return status;
}

/// memfd_create(2) with MFD_CLOEXEC: returns the descriptor of a file in memory.
static inline int clinux_memory_file(const char *name) {
    return (int)syscall(SYS_memfd_create, name, 1u);
}

// MARK: Landlock: the files that can be opened (Documentation/userspace-api/landlock.rst)

/// Returns the Landlock version of this kernel, 1 or higher; -1 if Landlock is missing or disabled.
static inline int clinux_landlock_version(void) {
    return (int)syscall(444, NULL, 0, 1u);  // landlock_create_ruleset, LANDLOCK_CREATE_RULESET_VERSION
}

/// open(2) with O_PATH: returns a descriptor that names a file or a folder and does not allow reading it.
static inline int clinux_open_name(const char *path) {
    return open(path, 010000000 | O_CLOEXEC);
}

/// Creates a rule set and returns its descriptor. The rule set refuses every access of these kinds that no rule allows.
static inline int clinux_landlock_create(uint64_t files, uint64_t network, uint64_t scopes) {
    struct {
        uint64_t files, network, scopes;
    } handled = {files, network, scopes};
    return (int)syscall(444, &handled, sizeof handled, 0u);
}

/// Allows accesses to a file, or to everything beneath a folder, named by a descriptor from clinux_open_name.
static inline int clinux_landlock_allow(int rules, int descriptor, uint64_t accesses) {
    struct {
        uint64_t accesses;
        int32_t descriptor;
    } __attribute__((packed)) beneath = {accesses, descriptor};
    return (int)syscall(445, rules, 1, &beneath, 0u);  // landlock_add_rule, LANDLOCK_RULE_PATH_BENEATH
}

/// Enforces the rule set on this thread.
static inline int clinux_landlock_enforce(int rules) {
    return (int)syscall(446, rules, 0u);  // landlock_restrict_self
}

// MARK: seccomp: the permitted system calls (Documentation/userspace-api/seccomp_filter.rst)

#if defined(__x86_64__)
#define CLINUX_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CLINUX_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef CLINUX_ARCHITECTURE

/// Whether the kernel takes filters: 1 or 0. Nothing is changed.
static inline int clinux_has_filters(void) {
    uint32_t action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0u, &action) == 0;
}

// A system call is a number and six arguments; a filter is a program that checks them. Each line below expects the
// number in the accumulator, and either ends the program or leaves the number there. The low half of an argument is its
// first half on both architectures.
#define CLINUX_WHOLE_CALL(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define CLINUX_LOW(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (n))
#define CLINUX_HIGH(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (n) + 4)
#define CLINUX_SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (count))
#define CLINUX_SKIP_IF(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (count), 0)
#define CLINUX_SKIP_IF_ANY_BIT(bits, count) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), (count), 0)
#define CLINUX_SKIP_UNLESS_ANY_BIT(bits, count) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, (count))
#define CLINUX_SKIP_IF_ABOVE(value, count) BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (value), (count), 0)
#define CLINUX_KEEP_BITS(bits) BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (bits))
#define CLINUX_ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define CLINUX_REFUSE(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define CLINUX_KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define CLINUX_MAY(name) CLINUX_SKIP_UNLESS(__NR_##name, 1), CLINUX_ALLOW

/// Limits this process to the system calls for using open descriptors, opening files for reading, memory, threads and
/// waiting. Every other call fails with EPERM, including calls of future kernels: sockets, executing, new processes,
/// signals to other processes, tracing, changes of files, mounts, namespaces, io_uring, bpf.
static inline int clinux_limit_system_calls(void) {
    struct sock_filter lines[] = {
        // Another ABI (32 bits on a 64-bit kernel) numbers its calls differently; the worker does not need it.
        CLINUX_WHOLE_CALL(arch), CLINUX_SKIP_IF(CLINUX_ARCHITECTURE, 1), CLINUX_KILL,
        // x32 numbers its calls on x86-64 from 2^30, which no line below matches.
        CLINUX_WHOLE_CALL(nr),

        // Memory and threads: the most frequent calls, therefore first.
        CLINUX_MAY(futex), CLINUX_MAY(munmap), CLINUX_MAY(brk), CLINUX_MAY(madvise), CLINUX_MAY(mremap),
        // Operations on open descriptors.
        CLINUX_MAY(read), CLINUX_MAY(readv), CLINUX_MAY(pread64), CLINUX_MAY(write), CLINUX_MAY(writev),
        CLINUX_MAY(lseek), CLINUX_MAY(close), CLINUX_MAY(close_range), CLINUX_MAY(fstat), CLINUX_MAY(fstatfs),
        CLINUX_MAY(dup), CLINUX_MAY(dup3), CLINUX_MAY(fadvise64), CLINUX_MAY(getdents64),
        // Metadata and names of files. The rules for openat below and Landlock decide which files can be read.
        CLINUX_MAY(newfstatat), CLINUX_MAY(statx), CLINUX_MAY(statfs), CLINUX_MAY(faccessat), CLINUX_MAY(faccessat2),
        CLINUX_MAY(readlinkat), CLINUX_MAY(getcwd),
#ifdef __x86_64__
        // The same operations under older names, which arm64 does not have.
        CLINUX_MAY(stat), CLINUX_MAY(lstat), CLINUX_MAY(access), CLINUX_MAY(readlink), CLINUX_MAY(dup2),
        CLINUX_MAY(poll), CLINUX_MAY(time),
#endif
        // GLib wakes its threads with these.
        CLINUX_MAY(ppoll), CLINUX_MAY(pipe2), CLINUX_MAY(eventfd2),
        // Threads, and the signals of this process.
        CLINUX_MAY(set_robust_list), CLINUX_MAY(rseq), CLINUX_MAY(membarrier), CLINUX_MAY(sched_yield),
        CLINUX_MAY(sched_getaffinity), CLINUX_MAY(sched_getattr), CLINUX_MAY(rt_sigaction), CLINUX_MAY(rt_sigprocmask),
        CLINUX_MAY(rt_sigreturn), CLINUX_MAY(sigaltstack), CLINUX_MAY(restart_syscall), CLINUX_MAY(exit),
        CLINUX_MAY(exit_group),
        // Clocks, resource usage, random bytes, and identity.
        CLINUX_MAY(clock_gettime), CLINUX_MAY(clock_getres), CLINUX_MAY(clock_nanosleep), CLINUX_MAY(nanosleep),
        CLINUX_MAY(gettimeofday), CLINUX_MAY(times), CLINUX_MAY(getrusage), CLINUX_MAY(getrandom), CLINUX_MAY(uname),
        CLINUX_MAY(sysinfo), CLINUX_MAY(getpid), CLINUX_MAY(gettid), CLINUX_MAY(getppid), CLINUX_MAY(getuid),
        CLINUX_MAY(geteuid), CLINUX_MAY(getgid), CLINUX_MAY(getegid),

        // Opening for reading only. O_ACCMODE covers O_WRONLY and O_RDWR, without which O_TMPFILE fails. open(2),
        // creat(2) and openat2(2), whose flags are in memory, are refused; glibc does not use them.
        CLINUX_SKIP_UNLESS(__NR_openat, 4), CLINUX_LOW(2),
        CLINUX_SKIP_IF_ANY_BIT(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND, 1), CLINUX_ALLOW, CLINUX_REFUSE(EPERM),
        // Memory is never writable and executable at once, and never becomes executable later. Mapping a file as
        // executable is allowed, because libraries need it; a filter cannot check which file it is.
        CLINUX_SKIP_UNLESS(__NR_mmap, 5), CLINUX_LOW(2), CLINUX_KEEP_BITS(PROT_WRITE | PROT_EXEC),
        CLINUX_SKIP_IF(PROT_WRITE | PROT_EXEC, 1), CLINUX_ALLOW, CLINUX_REFUSE(EPERM),
        CLINUX_SKIP_UNLESS(__NR_mprotect, 4), CLINUX_LOW(2), CLINUX_SKIP_IF_ANY_BIT(PROT_EXEC, 1), CLINUX_ALLOW,
        CLINUX_REFUSE(EPERM),
        // Only a thread of this process (CLONE_THREAD) without new namespaces (the CLONE_NEW… bits); no process.
        CLINUX_SKIP_UNLESS(__NR_clone, 5), CLINUX_LOW(0), CLINUX_SKIP_IF_ANY_BIT(0x7e020080u, 2),
        CLINUX_SKIP_UNLESS_ANY_BIT(0x00010000u, 1), CLINUX_ALLOW, CLINUX_REFUSE(EPERM),
        // The flags of clone3 are in memory, which a filter cannot read. After ENOSYS, glibc uses clone(2).
        CLINUX_SKIP_UNLESS(__NR_clone3, 1), CLINUX_REFUSE(ENOSYS),
        // Duplicating a descriptor and its flags, 0 to 4, and F_DUPFD_CLOEXEC; not F_SETOWN.
        CLINUX_SKIP_UNLESS(__NR_fcntl, 5), CLINUX_LOW(1), CLINUX_SKIP_IF(1030, 1), CLINUX_SKIP_IF_ABOVE(4, 1),
        CLINUX_ALLOW, CLINUX_REFUSE(EPERM),
        // Only PR_SET_NAME, which names a thread.
        CLINUX_SKIP_UNLESS(__NR_prctl, 4), CLINUX_LOW(0), CLINUX_SKIP_UNLESS(PR_SET_NAME, 1), CLINUX_ALLOW,
        CLINUX_REFUSE(EPERM),
        // Only reading the limits of this process: pid 0 and no new limit.
        CLINUX_SKIP_UNLESS(__NR_prlimit64, 8), CLINUX_LOW(0), CLINUX_SKIP_UNLESS(0, 5), CLINUX_LOW(2),
        CLINUX_SKIP_UNLESS(0, 3), CLINUX_HIGH(2), CLINUX_SKIP_UNLESS(0, 1), CLINUX_ALLOW, CLINUX_REFUSE(EPERM),

        // All other calls.
        CLINUX_REFUSE(EPERM),
    };
    struct sock_fprog program = {sizeof lines / sizeof lines[0], lines};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0u, &program);
}

/// Refuses to open files by name, and most calls that read the metadata of a name; newfstatat remains, which glibc's
/// fstat needs. All filters of a process apply, so this one is set first, and clinux_limit_system_calls leaves the calls
/// that both allow.
static inline int clinux_refuse_names(void) {
    struct sock_filter lines[] = {
        CLINUX_WHOLE_CALL(nr),
        CLINUX_SKIP_UNLESS(__NR_openat, 1), CLINUX_REFUSE(EPERM),
        CLINUX_SKIP_UNLESS(__NR_statx, 1), CLINUX_REFUSE(EPERM),
        CLINUX_SKIP_UNLESS(__NR_statfs, 1), CLINUX_REFUSE(EPERM),
        CLINUX_SKIP_UNLESS(__NR_faccessat, 1), CLINUX_REFUSE(EPERM),
        CLINUX_SKIP_UNLESS(__NR_faccessat2, 1), CLINUX_REFUSE(EPERM),
        CLINUX_SKIP_UNLESS(__NR_readlinkat, 1), CLINUX_REFUSE(EPERM),
#ifdef __x86_64__
        CLINUX_SKIP_UNLESS(__NR_stat, 1), CLINUX_REFUSE(EPERM),
        CLINUX_SKIP_UNLESS(__NR_lstat, 1), CLINUX_REFUSE(EPERM),
        CLINUX_SKIP_UNLESS(__NR_access, 1), CLINUX_REFUSE(EPERM),
        CLINUX_SKIP_UNLESS(__NR_readlink, 1), CLINUX_REFUSE(EPERM),
#endif
        CLINUX_ALLOW,
    };
    struct sock_fprog program = {sizeof lines / sizeof lines[0], lines};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0u, &program);
}

#else

/// No filter exists for this architecture.
static inline int clinux_has_filters(void) {
    return 0;
}

/// The same.
static inline int clinux_limit_system_calls(void) {
    errno = ENOSYS;
    return -1;
}

/// The same.
static inline int clinux_refuse_names(void) {
    errno = ENOSYS;
    return -1;
}

#endif

#endif
