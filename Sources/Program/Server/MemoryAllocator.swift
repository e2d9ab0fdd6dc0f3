internal import CJemalloc

/// Configures jemalloc, the malloc of the process.
///
/// glibc's malloc retains the memory that image jobs of many sizes freed: the resident memory grows as long as the
/// process runs (docs/benchmarks.md, memory).
enum MemoryAllocator {
    /// Milliseconds after which free memory returns to the kernel.
    private static let decay = 1000

    /// Starts jemalloc's background thread, which returns memory also while the server does not allocate; called once,
    /// at the start.
    static func start() {
        // An option that is compiled out has no effect except that jemalloc retains more memory.
        _ = cjemalloc_set_time("arenas.dirty_decay_ms", decay)
        _ = cjemalloc_set_time("arenas.muzzy_decay_ms", 0)
        // One by one: with these options, the number that stands for all arenas (MALLCTL_ARENAS_ALL) makes jemalloc 5.3
        // read and change memory behind its table of arenas. One that does not exist yet is refused, and begins with
        // the values above.
        for arena in 0..<cjemalloc_arenas() {
            _ = cjemalloc_set_time("arena.\(arena).dirty_decay_ms", decay)
            _ = cjemalloc_set_time("arena.\(arena).muzzy_decay_ms", 0)
        }
        _ = cjemalloc_set_flag("background_thread", true)
    }
}
