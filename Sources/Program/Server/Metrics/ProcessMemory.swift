internal import FoundationEssentials
internal import Glibc

/// Reads the process's resident memory from the kernel.
enum ProcessMemory {
    /// The line for Prometheus; empty without `/proc`.
    static func text() -> String {
        guard let statm = try? Data(contentsOf: URL(filePath: "/proc/self/statm")),
            let pages = String(decoding: statm, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap({
                Int($0)
            })
        else { return "" }
        let bytes = pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        return "# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes \(bytes)\n"
    }
}
