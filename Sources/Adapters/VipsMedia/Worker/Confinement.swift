internal import CLinux
internal import Glibc

/// What a worker process takes away from itself before it reads a byte of a stranger.
///
/// Limits on memory and time, no new rights, none of root's rights, no files but those that fonts and libraries lie in,
/// and only the system calls that drawing takes. Whatever runs in the process afterwards, a stranger's machine code
/// included, can compute, read its input, write its answer, and end. docs/security.md has the table.
enum Confinement {
    /// A step that did not succeed; the process must not go on.
    struct Failure: Error, CustomStringConvertible {
        let step: String
        let code: CInt

        var description: String { "\(step): error \(code)" }
    }

    /// Confines this process for ever.
    ///
    /// - Parameters:
    ///   - memory: The most bytes of memory that it may write to, in all.
    ///   - seconds: The most seconds of processors that it may use.
    /// - Throws: When a step fails, or when there are other threads already, which would stay outside.
    static func enter(memory: Int, seconds: Int) throws(Failure) {
        guard threads() == 1 else { throw Failure(step: "threads", code: EAGAIN) }
        try limit(memory: memory, seconds: seconds)
        try giveUpPrivileges()
        try check("memory of others", clinux_hide_memory())
        try check("parent", clinux_die_with_parent())
        // If it ended before that line, its end of the pipe is closed.
        var answer = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        guard poll(&answer, 1, 0) >= 0, answer.revents & Int16(POLLERR) == 0 else {
            throw Failure(step: "parent", code: EPIPE)
        }
        try closeFiles()
        try limitSystemCalls()
    }

    /// This process cannot gain rights any more, and root loses its own.
    static func giveUpPrivileges() throws(Failure) {
        try check("new privileges", clinux_give_up_new_privileges())
        try check("capabilities", clinux_drop_capabilities())
    }

    /// Refuses this thread, and those that it makes, every system call that drawing does not take.
    static func limitSystemCalls() throws(Failure) {
        try check("system calls", clinux_limit_system_calls())
    }

    private static func limit(memory: Int, seconds: Int) throws(Failure) {
        // What is written to counts (Linux 4.7). Addresses have a wider limit: libraries, and what allocators reserve
        // without touching it, count there too.
        try limit(RLIMIT_DATA, to: memory)
        // So do stacks, whole, and a decoder may make a thread for each processor. This is as much as libvips asks for.
        let status = clinux_set_thread_stacks(2 << 20)
        guard status == 0 else { throw Failure(step: "stacks", code: status) }
        try limit(RLIMIT_AS, to: memory + (4 << 30))
        // SIGXCPU, and a second later SIGKILL, which cannot be caught.
        try limit(RLIMIT_CPU, to: seconds, hard: seconds + 1)
        // Writing to a file fails with an error instead of killing the process.
        signal(SIGXFSZ, SIG_IGN)
        try limit(RLIMIT_FSIZE, to: 0)
        try limit(RLIMIT_CORE, to: 0)
        try limit(RLIMIT_NOFILE, to: 64)
        // RLIMIT_NPROC counts the server's threads too, which have the same user. Processes are no system call that the
        // filter lets through, and each thread's stack counts as memory.
    }

    private static func limit(_ resource: __rlimit_resource, to soft: Int, hard: Int? = nil) throws(Failure) {
        var limit = rlimit(rlim_cur: rlim_t(soft), rlim_max: rlim_t(hard ?? soft))
        // A hard limit that is lower already stays.
        var present = rlimit()
        getrlimit(__rlimit_resource_t(resource.rawValue), &present)
        limit.rlim_max = min(limit.rlim_max, present.rlim_max)
        limit.rlim_cur = min(limit.rlim_cur, limit.rlim_max)
        try check("limit \(resource.rawValue)", setrlimit(__rlimit_resource_t(resource.rawValue), &limit))
    }

    /// Leaves reading of the places that libraries, their data and fonts lie in, where the kernel has Landlock.
    ///
    /// Without it, a worker that is taken over can read what the server's user can and paint it into the image; there
    /// is no other way out of the process.
    static func closeFiles() throws(Failure) {
        guard closesFiles else { return }
        let version = Int(clinux_landlock_version())
        // Each version knows more kinds of accesses; the first has 13. From 4 on it knows TCP, from 6 on signals and
        // abstract sockets.
        let kinds = [13, 14, 15, 15, 16][min(version, 5) - 1]
        let rules = clinux_landlock_create((1 << kinds) - 1, version >= 4 ? 3 : 0, version >= 6 ? 3 : 0)
        guard rules >= 0 else { throw Failure(step: "files", code: errno) }
        defer { close(rules) }
        let readFile: UInt64 = 1 << 2
        let readFolder: UInt64 = 1 << 3
        for folder in ["/usr", "/lib", "/lib64", "/etc/fonts", "/var/cache/fontconfig"] {
            try allow(readFile | readFolder, at: folder, in: rules)
        }
        try allow(readFile, at: "/etc/ld.so.cache", in: rules)
        try check("files", clinux_landlock_enforce(rules))
    }

    /// Whether this kernel has Landlock.
    static var closesFiles: Bool { clinux_landlock_version() > 0 }

    private static func allow(_ accesses: UInt64, at path: String, in rules: CInt) throws(Failure) {
        let place = clinux_open_name(path)
        // What is not there needs no rule.
        guard place >= 0 else { return }
        defer { close(place) }
        try check("files", clinux_landlock_allow(rules, place, accesses))
    }

    /// How many threads this process has; 0 if it cannot be determined.
    private static func threads() -> Int {
        guard let folder = opendir("/proc/self/task") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            // All names but `.` and `..` are numbers.
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return count
    }

    private static func check(_ step: String, _ status: CInt) throws(Failure) {
        guard status == 0 else { throw Failure(step: step, code: errno) }
    }
}
