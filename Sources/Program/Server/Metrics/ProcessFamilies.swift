internal import FoundationEssentials
internal import Glibc

/// The metrics of the process, with the names that Prometheus' clients give them, read from the kernel.
///
/// A metric that the kernel does not tell is omitted.
enum ProcessFamilies {
    static var all: [MetricFamily] { memory + [cpuTime] + descriptors + startTime }

    private static var memory: [MetricFamily] {
        let pages = fields(of: "/proc/self/statm").compactMap { Int($0) }
        guard pages.count > 1 else { return [] }
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        return [
            MetricFamily(.gauge, "process_virtual_memory_bytes", "Virtual memory size in bytes.", pages[0] * size),
            MetricFamily(.gauge, "process_resident_memory_bytes", "Resident memory size in bytes.", pages[1] * size),
        ]
    }

    private static var cpuTime: MetricFamily {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = [usage.ru_utime, usage.ru_stime].reduce(0.0) {
            $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1_000_000
        }
        return MetricFamily(
            name: "process_cpu_seconds_total",
            kind: .counter,
            help: "User and system CPU time in seconds; without that of worker processes.",
            samples: [.init(labels: [], value: seconds)]
        )
    }

    private static var descriptors: [MetricFamily] {
        var families: [MetricFamily] = []
        if let folder = opendir("/proc/self/fd") {
            defer { closedir(folder) }
            // Without the entries "." and "..", and without the descriptor of this folder.
            var count = -3
            while readdir(folder) != nil { count += 1 }
            families.append(MetricFamily(.gauge, "process_open_fds", "Open file descriptors.", max(0, count)))
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            let most = UInt64(limit.rlim_cur)
            families.append(MetricFamily(.gauge, "process_max_fds", "Maximum number of open file descriptors.", most))
        }
        return families
    }

    private static var startTime: [MetricFamily] {
        // The name of the process, the second field, can contain spaces; the start is the 20th field after it.
        let rest = text(of: "/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
        let boot = text(of: "/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }
        guard rest.count > 19, let ticks = Double(rest[19]),
            let booted = boot.flatMap({ Double($0.dropFirst("btime ".count)) })
        else { return [] }
        return [
            MetricFamily(
                name: "process_start_time_seconds",
                kind: .gauge,
                help: "Start of the process in seconds since 1970.",
                samples: [.init(labels: [], value: booted + ticks / Double(sysconf(Int32(_SC_CLK_TCK))))]
            )
        ]
    }

    private static func fields(of path: String) -> [Substring] {
        text(of: path).split { $0 == " " || $0 == "\n" }
    }

    private static func text(of path: String) -> String {
        (try? Data(contentsOf: URL(filePath: path))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
