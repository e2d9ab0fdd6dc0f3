internal import Domain
internal import Glibc
internal import NIOPosix
internal import Synchronization

/// Counts the space of an app's derivatives, and removes those not used for longest when it exceeds the limit.
///
/// There is no index, only a count of bytes. A sweep goes through the folders at the start, to count the files, and
/// whenever the count exceeds the limit. The count can be too high by files that are stored while a sweep runs, or
/// after the operator deleted files; the next sweep counts again.
final class DerivativeSpace: Sendable {
    private struct State {
        var used: Int64 = 0
        /// The part of ``used`` that is reserved for derivatives that are not stored yet.
        var reserved: Int64 = 0
        /// The part of ``used`` that was stored since the sweep began, which may or may not have counted it.
        var stored: Int64 = 0
        /// The bytes that have to be stored before the next sweep, because the last one could free nothing.
        var awaited: Int64 = 0
        var sweep: Task<Void, Never>?
    }

    private let bound: Int64
    private let layout: DerivativeLayout
    private let opened: OpenDerivatives
    private let pool: NIOThreadPool
    private let state = Mutex(State())

    /// Takes the most bytes that the derivatives in a layout may take, some of which are open; counts nothing yet.
    init(bound: Int64, layout: DerivativeLayout, opened: OpenDerivatives, pool: NIOThreadPool) {
        self.bound = bound
        self.layout = layout
        self.opened = opened
        self.pool = pool
    }

    /// What is known to be taken, in bytes.
    var used: Int64 { state.withLock(\.used) }

    /// Reserves space for a file, or reports that there is none: the file is larger than the limit, or files are stored
    /// faster than the running sweep removes others.
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

    /// Says that so many bytes were removed.
    func free(_ size: Int64) {
        state.withLock { state in
            state.used -= size
            if state.used <= bound { state.awaited = 0 }
        }
    }

    /// Begins to count what is there and to remove what is too much, unless that is going on.
    func sweep() {
        state.withLock { state in
            guard state.sweep == nil else { return }
            state.sweep = Task { await run() }
        }
    }

    /// Returns when no sweep is going on.
    func settled() async {
        while let sweep = state.withLock(\.sweep) { await sweep.value }
    }

    private func run() async {
        var isOver = false
        while !isOver {
            // A pool that stops ends it: the next start counts.
            let isStuck = (try? await sweepOnce()) ?? true
            isOver = state.withLock { state in
                // More may have come meanwhile.
                guard state.used <= bound || isStuck else { return false }
                // Each look at all files costs too much to be repeated for every new one.
                state.awaited = state.used > bound ? bound / 8 : 0
                state.sweep = nil
                return true
            }
        }
    }

    /// Counts, then removes down to nine tenths of the bound if it is too much.
    ///
    /// - Returns: Whether it was too much and nothing was freed, as when files cannot be removed.
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
            progress.1 += size
        }
        guard freed > 0 else { return true }
        try await pool.runIfActive { [opened] in opened.removeUnlinked() }
        return false
    }

    /// Goes through all folders, in short jobs of the pool, so that other jobs can run in between.
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

    /// In milliseconds since 1970, by the clock that file systems use.
    private static func now() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
