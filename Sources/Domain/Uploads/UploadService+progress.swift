internal import Synchronization

extension UploadService {
    /// An event of a progress stream.
    package enum ProgressEvent: Sendable, Hashable {
        /// The progress of the upload changed.
        case progress(UploadProgress)
        /// The upload's file exists; this is the last event.
        case finished(UploadProgress)
        /// The upload was cancelled or expired; this is the last event.
        case ended
        /// Nothing changed for a while; the event serves to detect a lost connection.
        case stillThere
    }

    /// The right to one progress stream; release it with ``leave()``.
    package final class ProgressSlot: Sendable {
        private struct State {
            var isHeld = true
            var stop: (@Sendable () -> Void)?
        }

        private let counts: ProgressStreamCounts
        private let shares: [ProgressStreamCounts.Share]
        private let state = Mutex(State())

        init(_ counts: ProgressStreamCounts, _ shares: [ProgressStreamCounts.Share]) {
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

    /// The progress of an upload.
    ///
    /// - Throws: ``ServiceError/Code/uploadNotFound``.
    package func progress(_ token: UploadToken) async throws -> UploadProgress {
        try await using(token, readingParts: false, describing: .unused) { upload in
            guard isShared else { return upload.progress }
            guard let progress = try await recordedProgress(of: upload) else { throw UploadService.notFound }
            return progress
        }
    }

    /// Takes a slot for a progress stream of an upload.
    ///
    /// A stream needs no credentials, so it counts for the group of the upload's creator. Uploads of one address have
    /// half of the slots of all guests.
    ///
    /// - Throws: ``ServiceError/Code/uploadNotFound``; ``ServiceError/Code/overloaded`` if all slots are taken.
    package func beginProgressStream(_ token: UploadToken) async throws -> ProgressSlot {
        let creator = try await using(token, readingParts: false, describing: .unused) { $0.stored.creator }
        return try beginProgressStream(ofGroup: creator.group, at: creator.address)
    }

    func beginProgressStream(ofGroup group: CallerGroup, at address: String? = nil) throws -> ProgressSlot {
        let isGuests = group == .guests
        let limit = isGuests ? min(limits.watchersGuests, limits.watchers) : limits.watchers
        var shares = [ProgressStreamCounts.Share(group: group, address: nil, limit: limit)]
        if let address {
            shares.append(ProgressStreamCounts.Share(group: group, address: address, limit: (limit + 1) / 2))
        }
        if let full = progressStreamCounts.enter(shares) {
            let setting = isGuests ? "maxWatchersGuests" : "maxWatchers"
            let what = full.address == nil ? "the limit" : "the limit for one address: half of all"
            throw ServiceError(
                .overloaded,
                "\(full.limit) progress streams are open, \(what) (uploads.\(setting)); try again later.",
                limit: "uploads.\(setting)"
            )
        }
        return ProgressSlot(progressStreamCounts, shares)
    }

    /// Reports the progress of an upload until it ends, or until `report` throws: at most ten times a second.
    ///
    /// An upload that ended after its slot was taken is reported as ended.
    ///
    /// - Throws: Errors of `report`.
    package func streamProgress(
        _ token: UploadToken,
        in slot: ProgressSlot,
        _ report: @concurrent (ProgressEvent) async throws -> Void
    ) async throws {
        do {
            try await using(token, describing: .unused) { upload in
                if isShared {
                    try await followProgress(of: upload, in: slot, report)
                } else {
                    try await streamProgress(of: upload, in: slot, report)
                }
            }
        } catch let error as ServiceError where error.code == .uploadNotFound {
            try await report(.ended)
        }
    }

    private func streamProgress(
        of upload: UploadHandle,
        in slot: ProgressSlot,
        _ report: @concurrent (ProgressEvent) async throws -> Void
    ) async throws {
        let (changes, own) = upload.active.progressStreams.open { upload.progress }
        slot.stopping { own.finish() }
        if upload.active.with(\.isEnded) || progressStreamCounts.haveEnded { own.finish() }
        let heart = heart(of: upload, into: own)
        defer { heart.cancel() }
        var last: UploadProgress?
        for await progress in changes {
            if progress.isFinished { break }
            try await report(progress == last ? .stillThere : .progress(progress))
            last = progress
            // Changes within this time are reported as one.
            try await Task.sleep(for: .milliseconds(100))
        }
        let end = upload.progress
        if end.isFinished {
            try await report(.finished(end))
        } else if upload.active.with(\.isEnded) {
            try await report(.ended)
        }
    }

    /// Adds the progress to a stream every ``heartbeat`` seconds, until the task is cancelled.
    func heart(
        of upload: UploadHandle,
        into own: AsyncStream<UploadProgress>.Continuation
    ) -> Task<Void, any Error> {
        Task {
            while !Task.isCancelled {
                try await Task.sleep(for: .seconds(UploadService.heartbeat))
                own.yield(upload.progress)
            }
        }
    }

    /// Seconds without a change after which a stream sends ``ProgressEvent/stillThere``.
    static let heartbeat = 10

    /// Ends all progress streams, because a stopping server would wait for them; one that opens later ends after its first
    /// event.
    package func endProgressStreams() async {
        progressStreamCounts.end()
        for upload in active.all { upload.progressStreams.finish() }
    }
}

/// The numbers of progress streams of each group, and of guests at each address; and whether the server has ended them.
final class ProgressStreamCounts: Sendable {
    /// A group, or the part of it at one address, with the maximum of its streams.
    struct Share: Sendable, Hashable {
        let group: CallerGroup
        let address: String?
        let limit: Int
    }

    private let counts = Mutex<[Share: Int]>([:])
    private let ended = Atomic(false)

    /// Whether streams end, because the server stops; to check after a stream is open.
    var haveEnded: Bool { ended.load(ordering: .sequentiallyConsistent) }

    /// Records that streams end; those that are open have to be ended afterwards.
    func end() {
        ended.store(true, ordering: .sequentiallyConsistent)
    }

    /// Counts a stream in all shares; or, if a share is full, counts it in none and returns that share.
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
