internal import Synchronization

extension UploadService {
    /// An event of a progress stream.
    package enum WatchEvent: Sendable, Hashable {
        /// It came further.
        case progress(UploadProgress)
        /// Its file exists; this is the last event.
        case finished(UploadProgress)
        /// It was cancelled or expired; this is the last event.
        case gone
        /// Nothing changed for a while; says so, so that a lost connection is noticed.
        case stillThere
    }

    /// A place among those who watch; leave it when done.
    package final class WatchPlace: Sendable {
        private struct State {
            var isHeld = true
            var stop: (@Sendable () -> Void)?
        }

        private let counts: WatchCounts
        private let shares: [WatchCounts.Share]
        private let state = Mutex(State())

        init(_ counts: WatchCounts, _ shares: [WatchCounts.Share]) {
            self.counts = counts
            self.shares = shares
        }

        /// Releases the slot and ends its stream; can be called repeatedly, from any thread.
        package func leave() {
            let (wasHeld, stop) = state.withLock { state in
                defer { state.isHeld = false }
                return (state.isHeld, state.stop)
            }
            if wasHeld { counts.leave(shares) }
            stop?()
        }

        func stopping(by stop: @escaping @Sendable () -> Void) {
            let isOver = state.withLock { state in
                state.stop = stop
                return !state.isHeld
            }
            if isOver { stop() }
        }
    }

    /// Takes a slot among the streams for uploads of the same group: watchers need no credentials, so whose upload it
    /// is counts.
    ///
    /// Uploads of one address have half of the places of all guests'.
    ///
    /// - Throws: ``ServiceError/Code/uploadNotFound``; ``ServiceError/Code/overloaded`` if all places are taken.
    package func beginWatching(_ token: UploadToken) async throws -> WatchPlace {
        let owner = try await using(token) { $0.upload.owner }
        return try beginWatching(ofGroup: owner.group, at: owner.address)
    }

    func beginWatching(ofGroup group: CallerGroup, at address: String? = nil) throws -> WatchPlace {
        let isGuests = group == .guests
        let limit = isGuests ? min(limits.watchersGuests, limits.watchers) : limits.watchers
        var shares = [WatchCounts.Share(group: group, address: nil, limit: limit)]
        if let address { shares.append(WatchCounts.Share(group: group, address: address, limit: (limit + 1) / 2)) }
        if let full = watchers.enter(shares) {
            let setting = isGuests ? "maxWatchersGuests" : "maxWatchers"
            let what = full.address == nil ? "the limit" : "the limit for one address: half of all"
            throw ServiceError(
                .overloaded,
                "\(full.limit) progress streams are open, \(what) (uploads.\(setting)); try again later."
            )
        }
        return WatchPlace(watchers, shares)
    }

    /// Reports the progress of an upload until it ends, or until `tell` throws: at most ten times a second.
    ///
    /// - Throws: ``ServiceError/Code/uploadNotFound``, and what `tell` throws.
    package func watch(
        _ token: UploadToken,
        from place: WatchPlace,
        _ tell: @concurrent (WatchEvent) async throws -> Void
    ) async throws {
        try await using(token) { upload in
            let (changes, own) = upload.live.watchers.watch { upload.progress }
            place.stopping { own.finish() }
            if upload.live.with(\.isGone) { own.finish() }
            let heart = Task {
                while !Task.isCancelled {
                    try await Task.sleep(for: .seconds(UploadService.heartbeat))
                    own.yield(upload.progress)
                }
            }
            defer { heart.cancel() }
            var last: UploadProgress?
            for await progress in changes {
                if progress.isFinished { break }
                try await tell(progress == last ? .stillThere : .progress(progress))
                last = progress
                // Changes in the meantime are reported as one.
                try await Task.sleep(for: .milliseconds(100))
            }
            let end = upload.progress
            if end.isFinished {
                try await tell(.finished(end))
            } else if upload.live.with(\.isGone) {
                try await tell(.gone)
            }
        }
    }

    /// Seconds after which a stream without news says that it is still there.
    private static let heartbeat = 10

    /// Ends all progress streams, because the server stops and would wait for them.
    package func endWatching() async {
        for upload in await live.all() { upload.watchers.finish() }
    }
}

/// How many watch uploads of each group, and of guests at each address.
final class WatchCounts: Sendable {
    /// A group, or the part of it at one address, and how many may watch its uploads.
    struct Share: Sendable, Hashable {
        let group: CallerGroup
        let address: String?
        let limit: Int
    }

    private let counts = Mutex<[Share: Int]>([:])

    /// Counts a stream in all shares, or in none and returns the one that is full.
    func enter(_ shares: [Share]) -> Share? {
        counts.withLock { counts in
            if let full = shares.first(where: { counts[$0, default: 0] >= $0.limit }) { return full }
            for share in shares { counts[share, default: 0] += 1 }
            return nil
        }
    }

    /// Subtracts a stream from all shares.
    func leave(_ shares: [Share]) {
        counts.withLock { counts in
            for share in shares {
                let rest = counts[share, default: 1] - 1
                counts[share] = rest > 0 ? rest : nil
            }
        }
    }
}
