internal import CLinux
internal import Confinement
internal import Glibc

/// What the kernel gives this process: descriptors, memory, time, confinement.
///
/// A service can have other limits than a shell: run the doctor as the service's user, or in its container.
struct MachineFacts: Sendable {
    /// The hard limit of open files, to which the server raises its own.
    var openFiles = 1024
    /// The memory of the machine in bytes; 0 if it is unknown.
    var memory: Int64 = 0
    /// The limit of this process's control group in bytes; `nil` without one.
    var memoryLimit: Int64?
    /// The release of the kernel, such as `6.1.0-18-amd64`.
    var kernel = ""
    var hasFilters = true
    var hasLandlock = true
    /// Whether a service corrects the clock; `nil` if the kernel does not say.
    var isClockCorrected: Bool?

    init() {}

    /// Reads the facts.
    static func read() -> MachineFacts {
        var facts = MachineFacts()
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            facts.openFiles = Int(clamping: limit.rlim_max)
        }
        facts.memory = Int64(sysconf(CInt(_SC_PHYS_PAGES))) * Int64(sysconf(CInt(_SC_PAGESIZE)))
        facts.memoryLimit = controlGroupLimit()
        var name = utsname()
        if uname(&name) == 0 {
            facts.kernel = withUnsafeBytes(of: name.release) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
        facts.hasFilters = clinux_has_filters() == 1
        facts.hasLandlock = Confinement.closesFiles
        let state = clinux_clock_state()
        facts.isClockCorrected = state < 0 ? nil : state == 1
        return facts
    }

    /// The lowest limit of this process's control group and the groups above it; version 2, then version 1.
    private static func controlGroupLimit() -> Int64? {
        let group = contents("/proc/self/cgroup").split(separator: "\n")
            .first { $0.hasPrefix("0::") }.map { String($0.dropFirst(3)) }
        var limits: [Int64] = []
        var path = group ?? "/"
        while true {
            limits += [number("/sys/fs/cgroup\(path == "/" ? "" : path)/memory.max")].compactMap(\.self)
            guard path != "/", let slash = path.lastIndex(of: "/") else { break }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        limits += [number("/sys/fs/cgroup/memory/memory.limit_in_bytes")].compactMap(\.self)
        // Version 1 has a number near 2^63 for no limit.
        return limits.filter { $0 < 1 << 60 }.min()
    }

    private static func number(_ path: String) -> Int64? {
        Int64(contents(path).prefix { $0.isNumber })
    }

    private static func contents(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
