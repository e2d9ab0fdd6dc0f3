import CJemalloc
import Glibc
import Testing

@testable import Server

@Suite struct MemoryAllocatorTests {
    /// An option's value in milliseconds, and the error number of reading it.
    private func time(_ name: String) -> (value: Int, error: Int32) {
        var value = 0
        let error = cjemalloc_get_time(name, &value)
        return (value, error)
    }

    @Test("free memory of every arena returns to the kernel, of those that exist and of later ones")
    func decay() {
        MemoryAllocator.start()
        #expect(time("arenas.dirty_decay_ms") == (1000, 0) && time("arenas.muzzy_decay_ms") == (0, 0))
        // The first arena is older than any setting.
        #expect(time("arena.0.dirty_decay_ms").error == 0)
        for arena in 0..<cjemalloc_arenas() {
            let (dirty, muzzy) = (time("arena.\(arena).dirty_decay_ms"), time("arena.\(arena).muzzy_decay_ms"))
            // EFAULT means that it does not exist yet.
            #expect(dirty == (1000, 0) && muzzy == (0, 0) || dirty.error == EFAULT, "arena \(arena)")
        }
    }
}
