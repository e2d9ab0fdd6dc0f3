internal import CJemalloc

/// The process's malloc is jemalloc, because glibc's keeps what image jobs of many sizes freed: its resident memory
/// grows for as long as it runs (docs/benchmarks.md, memory).
enum MemoryAllocator {
    /// After so many milliseconds free memory goes back to the kernel.
    private static let decay = 1000

    /// Makes a thread of jemalloc return memory, also when the server no longer allocates; call it once, at the start.
    static func start() {
        // Any of them may be compiled out; then it keeps some more memory, and nothing else is wrong.
        _ = cjemalloc_set_time("arenas.dirty_decay_ms", decay)
        _ = cjemalloc_set_time("arenas.muzzy_decay_ms", 0)
        // 4096 is jemalloc's number for all arenas that there are.
        _ = cjemalloc_set_time("arena.4096.dirty_decay_ms", decay)
        _ = cjemalloc_set_time("arena.4096.muzzy_decay_ms", 0)
        _ = cjemalloc_set_flag("background_thread", true)
    }
}
