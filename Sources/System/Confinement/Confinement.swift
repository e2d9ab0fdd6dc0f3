internal import CLinux
internal import Glibc

/// Confines a process before it reads untrusted bytes.
///
/// It limits memory and time, drops privileges, and leaves only the files and the system calls that the process needs.
/// Any code in the process after that, including injected machine code, can compute, read its input, write its output,
/// and end. docs/security.md has the table.
package enum Confinement {
    /// A step that failed; the process must not continue.
    package struct Failure: Error, CustomStringConvertible {
        let step: String
        let code: CInt

        /// The step and the number of the error, for the log.
        package var description: String { "\(step): error \(code)" }
    }

    /// The files that a confined process can open.
    package enum Files: Sendable {
        /// Libraries, their data and fonts.
        case librariesAndFonts
        /// No file: everything that the process needs is open.
        case none
    }

    /// Confines this process permanently.
    ///
    /// - Parameters:
    ///   - memory: The maximum bytes of memory that it can write to.
    ///   - seconds: The maximum processor time in seconds; `nil` for a process that serves many requests.
    ///   - files: The files that it can open.
    /// - Throws: An error if a step fails, or if other threads exist, which would not be confined.
    package static func enter(memory: Int, seconds: Int?, files: Files) throws(Failure) {
        guard threads() == 1 else { throw Failure(step: "threads", code: EAGAIN) }
        try limit(memory: memory, seconds: seconds)
        try giveUpPrivileges()
        try check("memory of others", clinux_hide_memory())
        try check("parent", clinux_die_with_parent())
        // If the server ended before that line, its end of the pipe is closed.
        var answer = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        guard poll(&answer, 1, 0) >= 0, answer.revents & Int16(POLLERR) == 0 else {
            throw Failure(step: "parent", code: EPIPE)
        }
        try closeFiles(except: files)
        // First, because the filter of all other calls also refuses further filters.
        if case .none = files { try refuseOpening() }
        try limitSystemCalls()
    }

    /// Prevents this process from gaining rights, and drops root's capabilities.
    package static func giveUpPrivileges() throws(Failure) {
        try check("new privileges", clinux_give_up_new_privileges())
        try check("capabilities", clinux_drop_capabilities())
    }

    /// Refuses every call that opens a file or finds one by its name, also where the kernel has no Landlock.
    package static func refuseOpening() throws(Failure) {
        try check("names of files", clinux_refuse_names())
    }

    /// Refuses every system call that rendering does not need, for this thread and the threads that it creates.
    package static func limitSystemCalls() throws(Failure) {
        try check("system calls", clinux_limit_system_calls())
    }

    private static func limit(memory: Int, seconds: Int?) throws(Failure) {
        // Written memory counts (Linux 4.7). The limit on addresses is higher, because libraries and reserved but
        // unused memory of allocators count there too.
        try limit(RLIMIT_DATA, to: memory)
        // Whole stacks count as well, and a decoder can create a thread for each processor. This is the size that
        // libvips requests.
        let status = clinux_set_thread_stacks(2 << 20)
        guard status == 0 else { throw Failure(step: "stacks", code: status) }
        try limit(RLIMIT_AS, to: memory + (4 << 30))
        // SIGXCPU, and a second later SIGKILL, which cannot be caught.
        if let seconds { try limit(RLIMIT_CPU, to: seconds, hard: seconds + 1) }
        // It is for the server alone, but `systemctl kill` sends it to all processes of a unit.
        signal(SIGHUP, SIG_IGN)
        // Writing to a file fails with an error instead of ending the process.
        signal(SIGXFSZ, SIG_IGN)
        try limit(RLIMIT_FSIZE, to: 0)
        try limit(RLIMIT_CORE, to: 0)
        try limit(RLIMIT_NOFILE, to: 64)
        // RLIMIT_NPROC is not used, because it counts the server's threads too, which have the same user. The filter
        // refuses to create processes, and each thread's stack counts as memory.
    }

    private static func limit(_ resource: __rlimit_resource, to soft: Int, hard: Int? = nil) throws(Failure) {
        var limit = rlimit(rlim_cur: rlim_t(soft), rlim_max: rlim_t(hard ?? soft))
        // A lower existing hard limit stays.
        var present = rlimit()
        getrlimit(__rlimit_resource_t(resource.rawValue), &present)
        limit.rlim_max = min(limit.rlim_max, present.rlim_max)
        limit.rlim_cur = min(limit.rlim_cur, limit.rlim_max)
        try check("limit \(resource.rawValue)", setrlimit(__rlimit_resource_t(resource.rawValue), &limit))
    }

    /// Leaves read access to some files or to none, if the kernel has Landlock.
    ///
    /// Without Landlock, a compromised image worker can read the files of the server's user and render them into the
    /// image; there is no other way out of the process.
    package static func closeFiles(except files: Files) throws(Failure) {
        guard closesFiles else { return }
        let version = Int(clinux_landlock_version())
        // Each version adds kinds of accesses; the first has 13. Version 4 adds TCP, version 6 signals and abstract
        // sockets.
        let kinds = [13, 14, 15, 15, 16][min(version, 5) - 1]
        let rules = clinux_landlock_create((1 << kinds) - 1, version >= 4 ? 3 : 0, version >= 6 ? 3 : 0)
        guard rules >= 0 else { throw Failure(step: "files", code: errno) }
        defer { close(rules) }
        if case .librariesAndFonts = files { try allowLibraries(in: rules) }
        try check("files", clinux_landlock_enforce(rules))
    }

    private static func allowLibraries(in rules: CInt) throws(Failure) {
        let readFile: UInt64 = 1 << 2
        let readFolder: UInt64 = 1 << 3
        for folder in ["/usr", "/lib", "/lib64", "/etc/fonts", "/var/cache/fontconfig"] {
            try allow(readFile | readFolder, at: folder, in: rules)
        }
        try allow(readFile, at: "/etc/ld.so.cache", in: rules)
    }

    /// Whether this kernel has Landlock.
    package static var closesFiles: Bool { clinux_landlock_version() > 0 }

    private static func allow(_ accesses: UInt64, at path: String, in rules: CInt) throws(Failure) {
        let place = clinux_open_name(path)
        // A missing folder needs no rule.
        guard place >= 0 else { return }
        defer { close(place) }
        try check("files", clinux_landlock_allow(rules, place, accesses))
    }

    /// The number of threads of this process; 0 if it cannot be determined.
    private static func threads() -> Int {
        guard let folder = opendir("/proc/self/task") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            // All names except `.` and `..` are numbers.
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return count
    }

    private static func check(_ step: String, _ status: CInt) throws(Failure) {
        guard status == 0 else { throw Failure(step: step, code: errno) }
    }
}
