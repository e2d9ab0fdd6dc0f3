internal import Synchronization

/// The uploads of which this server shows the progress while other servers receive their bytes.
final class FollowedUploads: Sendable {
    private struct State {
        var watchers: [ObjectID: [Int: @Sendable () -> Void]] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// Calls the watchers of an upload after each of its changes, by whichever server.
    func follow(_ changes: ChangeFeed) {
        let filters = [
            ChangeFilter(.upload, [.updated, .deleted]),
            ChangeFilter(.uploadPart, [.created, .updated], states: .after),
        ]
        changes.subscribe(to: filters) { [weak self] event in self?.take(event) }
    }

    /// Adds a watcher, which must not wait; returns a function that removes it.
    func watch(_ id: ObjectID, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let number = state.withLock { state in
            state.next += 1
            state.watchers[id, default: [:]][state.next] = body
            return state.next
        }
        return { [weak self] in
            self?.state.withLock { state in
                state.watchers[id]?[number] = nil
                if state.watchers[id]?.isEmpty == true { state.watchers[id] = nil }
            }
        }
    }

    private func take(_ event: ChangeFeed.Event) {
        let watchers = state.withLock(\.watchers)
        guard !watchers.isEmpty else { return }
        guard case .changes(let changes) = event else {
            for watcher in watchers.values.flatMap(\.values) { watcher() }
            return
        }
        for id in Set(changes.compactMap(FollowedUploads.upload)) {
            for watcher in watchers[id, default: [:]].values { watcher() }
        }
    }

    private static func upload(of change: Change) -> ObjectID? {
        guard change.className == .uploadPart else { return change.id }
        return (try? change.after?.object()).flatMap(StoredPart.init(stored:))?.upload
    }
}

extension UploadService {
    /// Reports the progress of an upload whose bytes any server receives: what is recorded, and what arrives here.
    func followProgress(
        of upload: UploadHandle,
        in slot: ProgressSlot,
        _ report: @concurrent (ProgressEvent) async throws -> Void
    ) async throws {
        let (changes, own) = upload.active.progressStreams.open { upload.progress }
        slot.stopping { own.finish() }
        if progressStreamCounts.haveEnded { own.finish() }
        let forget = followedUploads.watch(upload.active.id) { own.yield(upload.progress) }
        defer { forget() }
        let heart = heart(of: upload, into: own)
        defer { heart.cancel() }
        var last: (progress: UploadProgress, time: ContinuousClock.Instant)?
        for await _ in changes {
            guard let now = try await recordedProgress(of: upload) else { return try await report(.ended) }
            if now.isFinished { return try await report(.finished(now)) }
            if now != last?.progress {
                try await report(.progress(now))
                last = (now, .now)
            } else if let time = last?.time, .now - time > .seconds(UploadService.heartbeat) / 2 {
                try await report(.stillThere)
                last = (now, .now)
            }
            // Changes within this time are reported as one.
            try await Task.sleep(for: .milliseconds(100))
        }
        // The end of the upload on this server ends the stream, too.
        guard let end = try await recordedProgress(of: upload) else { return try await report(.ended) }
        if end.isFinished { try await report(.finished(end)) }
    }

    /// The progress by the rows, and by the bytes that arrive here; `nil` if the upload has ended without a file.
    func recordedProgress(of upload: UploadHandle) async throws -> UploadProgress? {
        // Looked at before the rows: bytes that are recorded meanwhile are in one of both, so that the progress never
        // goes back.
        let arrived = upload.active.use.with(\.arrived)
        guard let found = try await records.find(id: upload.active.id),
            found.upload.tokenDigest == upload.stored.tokenDigest
        else { return nil }
        return ActiveUpload(found, in: upload.active.use).progress(with: arrived)
    }
}
