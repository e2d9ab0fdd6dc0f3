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

// What a process needs to drop its own rights. Its new threads inherit all of it, and it cannot be undone. Results are
// 0 (or what is named) or -1 with errno, unless said otherwise. Numbers that Debian 12's headers lack are the kernel's.

/// prctl(2) is variadic. From here on no process gains rights by executing a file; the kernel requires this before a
/// filter.
static inline int clinux_give_up_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
}

/// Other processes of the same user cannot trace this process or read its memory, and it leaves no core dump.
static inline int clinux_hide_memory(void) {
    return prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
}

/// SIGKILL as soon as the thread that started this process ends.
static inline int clinux_die_with_parent(void) {
    return prctl(PR_SET_PDEATHSIG, 9L, 0L, 0L, 0L);
}

/// capset(2) with nothing in it: root without any of root's rights.
static inline int clinux_drop_capabilities(void) {
    struct {
        uint32_t version;
        int pid;
    } header = {0x20080522u, 0};  // _LINUX_CAPABILITY_VERSION_3, this thread
    uint32_t none[6] = {0};       // effective, permitted, inheritable, 64 bits each
    return (int)syscall(SYS_capset, &header, none);
}

// glibc's, hidden without _GNU_SOURCE.
extern int pthread_setattr_default_np(const pthread_attr_t *attributes);

/// How large stacks of threads are that say nothing about it; 0 or an error number.
static inline int clinux_set_thread_stacks(size_t size) {
    pthread_attr_t attributes;
    int status = pthread_attr_init(&attributes);
    if (status == 0) status = pthread_attr_setstacksize(&attributes, size);
    if (status == 0) status = pthread_setattr_default_np(&attributes);
    return status;
}

/// memfd_create(2) with MFD_CLOEXEC: a file that is in memory only; its descriptor.
static inline int clinux_memory_file(const char *name) {
    return (int)syscall(SYS_memfd_create, name, 1u);
}

// MARK: Landlock: which files may be opened (Documentation/userspace-api/landlock.rst)

/// The version of Landlock that this kernel has, 1 or more; -1 if it has none or it is switched off.
static inline int clinux_landlock_version(void) {
    return (int)syscall(444, NULL, 0, 1u);  // landlock_create_ruleset, LANDLOCK_CREATE_RULESET_VERSION
}

/// A descriptor that names a file or a folder and cannot read it: open(2) with O_PATH.
static inline int clinux_open_name(const char *path) {
    return open(path, 010000000 | O_CLOEXEC);
}

/// A set of rules, as a descriptor, under which everything of these kinds is refused that no rule allows.
static inline int clinux_landlock_create(uint64_t files, uint64_t network, uint64_t scopes) {
    struct {
        uint64_t files, network, scopes;
    } handled = {files, network, scopes};
    return (int)syscall(444, &handled, sizeof handled, 0u);
}

/// Allows accesses to a file, or to all beneath a folder, given by a descriptor opened with O_PATH.
static inline int clinux_landlock_allow(int rules, int descriptor, uint64_t accesses) {
    struct {
        uint64_t accesses;
        int32_t descriptor;
    } __attribute__((packed)) beneath = {accesses, descriptor};
    return (int)syscall(445, rules, 1, &beneath, 0u);  // landlock_add_rule, LANDLOCK_RULE_PATH_BENEATH
}

/// Puts this thread under the rules.
static inline int clinux_landlock_enforce(int rules) {
    return (int)syscall(446, rules, 0u);  // landlock_restrict_self
}

// MARK: seccomp: which system calls there are (Documentation/userspace-api/seccomp_filter.rst)

#if defined(__x86_64__)
#define CLINUX_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CLINUX_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef CLINUX_ARCHITECTURE

// A system call is a number and six arguments; a filter is a program that looks at them. Each line below begins with
// the number in the accumulator and ends the program or leaves the number there. The low half of an argument is its
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

/// Leaves this process the system calls that reading descriptors, opening files for reading, memory, threads and
/// waiting take. Every other one fails with EPERM, those included that no kernel has yet: sockets, executing, new
/// processes, signals to others, tracing, changes of files, mounts, namespaces, io_uring, bpf.
static inline int clinux_limit_system_calls(void) {
    struct sock_filter lines[] = {
        // Another ABI (32 bits on a 64-bit kernel) numbers its calls differently; the worker does not need it.
        CLINUX_WHOLE_CALL(arch), CLINUX_SKIP_IF(CLINUX_ARCHITECTURE, 1), CLINUX_KILL,
        // x32 has numbers of its own on x86-64, from 2^30, which are in no line below.
        CLINUX_WHOLE_CALL(nr),

        // Memory and threads, which come most often.
        CLINUX_MAY(futex), CLINUX_MAY(munmap), CLINUX_MAY(brk), CLINUX_MAY(madvise), CLINUX_MAY(mremap),
        // Descriptors that are open.
        CLINUX_MAY(read), CLINUX_MAY(readv), CLINUX_MAY(pread64), CLINUX_MAY(write), CLINUX_MAY(writev),
        CLINUX_MAY(lseek), CLINUX_MAY(close), CLINUX_MAY(close_range), CLINUX_MAY(fstat), CLINUX_MAY(fstatfs),
        CLINUX_MAY(dup), CLINUX_MAY(dup3), CLINUX_MAY(fadvise64), CLINUX_MAY(getdents64),
        // Names of files; what is behind them, openat below and Landlock decide.
        CLINUX_MAY(newfstatat), CLINUX_MAY(statx), CLINUX_MAY(statfs), CLINUX_MAY(faccessat), CLINUX_MAY(faccessat2),
        CLINUX_MAY(readlinkat), CLINUX_MAY(getcwd),
#ifdef __x86_64__
        // The same under older names, which arm64 never had.
        CLINUX_MAY(stat), CLINUX_MAY(lstat), CLINUX_MAY(access), CLINUX_MAY(readlink), CLINUX_MAY(dup2),
        CLINUX_MAY(poll), CLINUX_MAY(time),
#endif
        // GLib wakes its own threads by these.
        CLINUX_MAY(ppoll), CLINUX_MAY(pipe2), CLINUX_MAY(eventfd2),
        // Threads and the signals of this process.
        CLINUX_MAY(set_robust_list), CLINUX_MAY(rseq), CLINUX_MAY(membarrier), CLINUX_MAY(sched_yield),
        CLINUX_MAY(sched_getaffinity), CLINUX_MAY(sched_getattr), CLINUX_MAY(rt_sigaction), CLINUX_MAY(rt_sigprocmask),
        CLINUX_MAY(rt_sigreturn), CLINUX_MAY(sigaltstack), CLINUX_MAY(restart_syscall), CLINUX_MAY(exit),
        CLINUX_MAY(exit_group),
        // Time, and who and where we are.
        CLINUX_MAY(clock_gettime), CLINUX_MAY(clock_getres), CLINUX_MAY(clock_nanosleep), CLINUX_MAY(nanosleep),
        CLINUX_MAY(gettimeofday), CLINUX_MAY(times), CLINUX_MAY(getrusage), CLINUX_MAY(getrandom), CLINUX_MAY(uname),
        CLINUX_MAY(sysinfo), CLINUX_MAY(getpid), CLINUX_MAY(gettid), CLINUX_MAY(getppid), CLINUX_MAY(getuid),
        CLINUX_MAY(geteuid), CLINUX_MAY(getgid), CLINUX_MAY(getegid),

        // Opening: for reading only. O_ACCMODE covers O_WRONLY and O_RDWR, without which there is no O_TMPFILE.
        // open(2), creat(2) and openat2(2), whose flags lie in memory, are refused; glibc asks for none of them.
        CLINUX_SKIP_UNLESS(__NR_openat, 4), CLINUX_LOW(2),
        CLINUX_SKIP_IF_ANY_BIT(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND, 1), CLINUX_ALLOW, CLINUX_REFUSE(EPERM),
        // Memory is never writable and executable at once, nor becomes executable later. A file may be mapped executable,
        // as libraries are; of which file, no filter sees.
        CLINUX_SKIP_UNLESS(__NR_mmap, 5), CLINUX_LOW(2), CLINUX_KEEP_BITS(PROT_WRITE | PROT_EXEC),
        CLINUX_SKIP_IF(PROT_WRITE | PROT_EXEC, 1), CLINUX_ALLOW, CLINUX_REFUSE(EPERM),
        CLINUX_SKIP_UNLESS(__NR_mprotect, 4), CLINUX_LOW(2), CLINUX_SKIP_IF_ANY_BIT(PROT_EXEC, 1), CLINUX_ALLOW,
        CLINUX_REFUSE(EPERM),
        // A thread of this process (CLONE_THREAD), in no new namespace (the CLONE_NEW… bits); no process.
        CLINUX_SKIP_UNLESS(__NR_clone, 5), CLINUX_LOW(0), CLINUX_SKIP_IF_ANY_BIT(0x7e020080u, 2),
        CLINUX_SKIP_UNLESS_ANY_BIT(0x00010000u, 1), CLINUX_ALLOW, CLINUX_REFUSE(EPERM),
        // Its flags lie in memory, where no filter sees them. Told that there is no such call, glibc takes clone(2).
        CLINUX_SKIP_UNLESS(__NR_clone3, 1), CLINUX_REFUSE(ENOSYS),
        // Copies of a descriptor and its flags, 0 to 4, and F_DUPFD_CLOEXEC; not who gets its signals.
        CLINUX_SKIP_UNLESS(__NR_fcntl, 5), CLINUX_LOW(1), CLINUX_SKIP_IF(1030, 1), CLINUX_SKIP_IF_ABOVE(4, 1),
        CLINUX_ALLOW, CLINUX_REFUSE(EPERM),
        // A thread's name, PR_SET_NAME, alone.
        CLINUX_SKIP_UNLESS(__NR_prctl, 4), CLINUX_LOW(0), CLINUX_SKIP_UNLESS(PR_SET_NAME, 1), CLINUX_ALLOW,
        CLINUX_REFUSE(EPERM),
        // Reading this process's own limits: process 0, and no new limit.
        CLINUX_SKIP_UNLESS(__NR_prlimit64, 8), CLINUX_LOW(0), CLINUX_SKIP_UNLESS(0, 5), CLINUX_LOW(2),
        CLINUX_SKIP_UNLESS(0, 3), CLINUX_HIGH(2), CLINUX_SKIP_UNLESS(0, 1), CLINUX_ALLOW, CLINUX_REFUSE(EPERM),

        // Everything else.
        CLINUX_REFUSE(EPERM),
    };
    struct sock_fprog program = {sizeof lines / sizeof lines[0], lines};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0u, &program);
}

#else

/// No filter was written for this architecture.
static inline int clinux_limit_system_calls(void) {
    errno = ENOSYS;
    return -1;
}

#endif

#endif
