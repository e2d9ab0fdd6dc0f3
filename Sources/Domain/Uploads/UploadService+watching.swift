internal import Synchronization

extension UploadService {
    /// What somebody who watches an upload is told.
    package enum WatchEvent: Sendable, Hashable {
        /// It came further.
        case progress(UploadProgress)
        /// Its file is there; nothing follows.
        case finished(UploadProgress)
        /// It was given up or expired; nothing follows.
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

        private let count: WatchCount
        private let state = Mutex(State())

        init(_ count: WatchCount) {
            self.count = count
        }

        /// Gives the place to somebody else and ends what was watched from it; may be called again, from any thread.
        package func leave() {
            let (wasHeld, stop) = state.withLock { state in
                defer { state.isHeld = false }
                return (state.isHeld, state.stop)
            }
            if wasHeld { count.leave() }
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

    /// Takes a place among those who watch.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` if all are taken.
    package func beginWatching() throws -> WatchPlace {
        guard watchers.enter(limits.watchers) else {
            throw ServiceError(
                .overloaded,
                "\(limits.watchers) uploads are being watched, the limit (uploads.maxWatchers); try again later."
            )
        }
        return WatchPlace(watchers)
    }

    /// Tells of an upload until it ends, or what is told throws: ten times a second at most.
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
                // What comes meanwhile is told as one.
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

    /// Ends all streams of progress, because the server stops: they would keep it waiting.
    package func endWatching() async {
        for upload in await live.all() { upload.watchers.finish() }
    }
}

/// How many watch.
final class WatchCount: Sendable {
    private let count = Mutex(0)

    func enter(_ limit: Int) -> Bool {
        count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
    }

    func leave() {
        count.withLock { $0 -= 1 }
    }
}
