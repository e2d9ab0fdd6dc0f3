internal import Domain
internal import Glibc
internal import NIOPosix
internal import Synchronization

/// Counts the space of an app's derivatives, and removes the least recently used ones when it exceeds the limit.
///
/// There is no index, only a count of bytes. A sweep goes through the folders at the start, to count the files, and
/// whenever the count exceeds the limit. The count can be too high by files that are stored while a sweep runs, or
/// after the operator deleted files; the next sweep counts again.
final class DerivativeSpace: Sendable {
    private struct State {
        var used: Int64 = 0
        /// The part of ``used`` that is reserved for derivatives that are not stored yet.
        var reserved: Int64 = 0
        /// The part of ``used`` that was stored since the sweep began; it is unknown whether the sweep has counted it.
        var stored: Int64 = 0
        /// The bytes to be stored before the next sweep, because the last one could not free space.
        var awaited: Int64 = 0
        var sweep: Task<Void, Never>?
    }

    private let bound: Int64
    private let layout: DerivativeLayout
    private let opened: OpenDerivatives
    private let pool: NIOThreadPool
    private let state = Mutex(State())
    /// The bytes that were removed because the limit was exceeded.
    let evicted = EventCount()

    /// Creates the count for a layout with a limit in bytes; counts no files yet.
    init(bound: Int64, layout: DerivativeLayout, opened: OpenDerivatives, pool: NIOThreadPool) {
        self.bound = bound
        self.layout = layout
        self.opened = opened
        self.pool = pool
    }

    /// The counted space in bytes.
    var used: Int64 { state.withLock(\.used) }

    /// Reserves space for a file; returns `false` if there is none.
    ///
    /// There is none for a file larger than the limit, or while files are stored faster than the running sweep removes
    /// others.
    func reserve(_ size: Int64) -> Bool {
        state.withLock { state in
            guard size <= bound, state.sweep == nil || state.used + size - bound <= bound / 8 else { return false }
            state.used += size
            state.reserved += size
            return true
        }
    }

    /// Releases reserved space in which no file was stored.
    func cancel(_ size: Int64) {
        state.withLock { state in
            state.used -= size
            state.reserved -= size
        }
    }

    /// Records that a file with reserved space has replaced another one.
    func record(_ size: Int64, replacing former: Int64) {
        let isTooMuch = state.withLock { state in
            state.reserved -= size
            state.stored += size
            state.used -= former
            state.awaited = max(0, state.awaited - size)
            return state.used > bound && state.awaited == 0
        }
        if isTooMuch { sweep() }
    }

    /// Subtracts removed bytes.
    func free(_ size: Int64) {
        state.withLock { state in
            state.used -= size
            if state.used <= bound { state.awaited = 0 }
        }
    }

    /// Begins a sweep, unless one is running: it counts the files and removes the excess.
    func sweep() {
        state.withLock { state in
            guard state.sweep == nil else { return }
            state.sweep = Task { await run() }
        }
    }

    /// Waits until no sweep is running.
    func settled() async {
        while let sweep = state.withLock(\.sweep) { await sweep.value }
    }

    private func run() async {
        var isOver = false
        while !isOver {
            // A pool that stops ends the sweep: the next start counts again.
            let isStuck = (try? await sweepOnce()) ?? true
            isOver = state.withLock { state in
                // More files can have been stored meanwhile.
                guard state.used <= bound || isStuck else { return false }
                // A sweep of all files is too expensive to be repeated for every new one.
                state.awaited = state.used > bound ? bound / 8 : 0
                state.sweep = nil
                return true
            }
        }
    }

    /// Counts the files, then removes files down to nine tenths of the limit if it is exceeded.
    ///
    /// - Returns: Whether the limit is exceeded and no space was freed, for example because files cannot be removed.
    private func sweepOnce() async throws -> Bool {
        state.withLock { $0.stored = 0 }
        let now = DerivativeSpace.now()
        let ages = try await throughShelves(AgeHistogram()) { [layout] ages, shelf in
            _ = layout.sweep(shelf) { file in
                ages.add(file.footprint, age: now - file.usedAt)
                return true
            }
        }
        let excess = state.withLock { state in
            state.used = ages.total + state.reserved + state.stored
            return state.used > bound ? state.used - (bound - bound / 10) : 0
        }
        guard excess > 0 else { return false }
        let (_, freed) = try await throughShelves((ages.eviction(of: excess), Int64(0))) { [self] progress, shelf in
            let size = layout.sweep(shelf) { file in
                !progress.0.takes(file.footprint, age: now - file.usedAt)
            }
            free(size)
            evicted.add(Int(size))
            progress.1 += size
        }
        guard freed > 0 else { return true }
        try await pool.runIfActive { [opened] in opened.removeUnlinked() }
        return false
    }

    /// Goes through all folders in short jobs of the pool, so that other jobs can run in between.
    private func throughShelves<Count: Sendable>(
        _ start: Count,
        _ body: @escaping @Sendable (inout Count, _ shelf: String) -> Void
    ) async throws -> Count {
        var (count, done) = (start, 0)
        while done < 256 {
            (count, done) = try await pool.runIfActive { [count, done, layout] in
                var (count, done) = (count, done)
                let end = ContinuousClock.now + .milliseconds(20)
                repeat {
                    body(&count, layout.shelf(UInt8(done)))
                    done += 1
                } while done < 256 && ContinuousClock.now < end
                return (count, done)
            }
        }
        return count
    }

    /// The current time in milliseconds since 1970, by the clock that file systems use.
    private static func now() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
