package import Domain
internal import Glibc
internal import NIOCore
package import NIOPosix
package import S3
internal import Synchronization

/// Staged bytes as objects of a bucket that several servers share (docs/decisions/0006-staged-bytes-in-s3.md).
///
/// Any server continues and finishes an upload that others received, because the list of an upload's objects is all
/// that there is to know of it. Blocking calls run on the given pool, whose size the server sets.
package final class S3StagingArea: StagingArea {
    /// The same for all servers: bytes in a bucket do not depend on the boot of a machine.
    package let bootID = "s3"
    package let isShared = true
    let bucket: StagingBucket
    let names: StagingNames
    let servers: StagingServers
    let memory: StagingMemory
    let options: Options
    let encryption: BlobEncryption?
    private let app: String
    let unsettledFolders = UnsettledFolders()
    /// The maximum number of runs of a joined segment: less where the store refuses such long names, as file systems do.
    let maxRuns = Atomic(StagedSegment.maxRuns)

    /// Sizes in bytes.
    package struct Options: Sendable {
        /// The minimum size of the segments of long uploads: at least that of a part, at most 32 MiB.
        ///
        /// A file of 10 000 segments is the largest that can be finished.
        package var segmentSize: Int64 = 8 << 20
        /// The memory of all uploads together beyond which they send smaller segments.
        package var memory = 256 << 20

        /// Creates the default options.
        package init() {}
    }

    /// - Parameters:
    ///   - client: The client of the bucket; its bucket is that of the blobs.
    ///   - layout: The names of the app's objects.
    ///   - pool: Threads that wait for the store.
    ///   - health: Receives reports of storage faults, and decides whether bytes can be added.
    ///   - options: Sizes.
    ///   - encryption: How staged bytes are encrypted; `nil` if they are not.
    ///   - server: The id by which others know this user of the bucket, of letters and digits; for a server a new one.
    ///   - ended: Servers that have ended for certain, so that nothing waits for their heartbeats to be old.
    package init(
        _ client: S3Client,
        layout: S3BlobLayout,
        pool: NIOThreadPool,
        health: StorageHealth = StorageHealth(),
        options: Options = Options(),
        encryption: BlobEncryption? = nil,
        server: String? = nil,
        ended: Set<String> = []
    ) {
        bucket = StagingBucket(client: client, pool: pool, health: health)
        names = StagingNames(root: layout.stagingPrefix)
        servers = StagingServers(
            own: server ?? S3StagingArea.randomID(),
            ended: ended,
            bucket: bucket,
            names: names
        )
        memory = StagingMemory(limit: options.memory)
        self.options = options
        self.encryption = encryption
        app = layout.app
    }

    /// How the segments of a folder are encrypted; `nil` if they are not.
    func sealing(_ folder: StagingNames.Folder) -> SegmentFolder? {
        encryption.map { SegmentFolder(encryption: $0, app: app, folder: folder) }
    }

    /// Tells the other servers that this one lives, until the task is cancelled.
    ///
    /// Without it, a server that is silent for a minute loses its commits to the others.
    package func run() async {
        // Not behind the requests that wait for a slow store.
        let thread = NIOThreadPool(numberOfThreads: 1)
        thread.start()
        while !Task.isCancelled {
            // Every commit renews it as well, and fails if it cannot.
            try? await bucket.run(on: thread) { [servers] _ in try servers.renew() }
            try? await Task.sleep(for: StagingServers.interval / 3)
        }
        try? await thread.shutdownGracefully()
    }

    /// Tells the other servers that this one has ended, so that they, and a move of the bytes, need not wait for it.
    ///
    /// To be called when no request uses the area any more. A commit that is undecided keeps the heartbeat until it is
    /// old, as after a crash; so does a store that does not answer.
    package func leave() async {
        guard unsettledFolders.notes.isEmpty, unsettledFolders.removals.isEmpty else { return }
        try? await bucket.run { [servers] _ in try servers.leave() }
    }

    /// Whether any server has used the bucket within the last minute, by the store's clock.
    ///
    /// This one does not count, and leaves no heartbeat.
    package func hasLivingServers() async throws -> Bool {
        try await bucket.run { [servers] _ in try servers.othersLive() }
    }

    package func stage() async throws -> any StagedBlob {
        S3StagedBlob(.draft(server: servers.own, number: S3StagingArea.randomID()), in: self, isNew: true)
    }

    package func stage(as name: ObjectID) async throws -> any StagedBlob {
        let staged = S3StagedBlob(.upload(name), in: self)
        if let note = unsettledFolders.note(of: name) {
            staged.take(note)
            staged.keepNote()
        }
        return staged
    }

    package func undecidedCommits(of upload: ObjectID) -> [CommitNote] {
        unsettledFolders.notes(of: upload)
    }

    package func reopen(_ note: CommitNote) async throws -> (any StagedBlob)? {
        let found = try await bucket.run { [bucket, names, servers] _ -> StagingNames.Note? in
            let all = try bucket.objects(names.prefix(of: note)).compactMap { names.note(named: $0.key) }
            if let own = all.first(where: { $0.server == servers.own }) { return own }
            // That of a server that lives belongs to a commit that goes on.
            let ended = try servers.ended(among: Set(all.map(\.server)))
            return all.first { ended.contains($0.server) }
        }
        guard let own = found else {
            unsettledFolders.release(note)
            return nil
        }
        let staged = S3StagedBlob(own.folder, in: self)
        staged.take(own)
        return staged
    }

    package func leftovers() async throws -> [StagingLeftover] {
        try await bucket.run { [self] _ in
            try servers.removeOld()
            let uploads = try bucket.folders(names.uploads, names)
            let notes = try survey()
            let busy = Set(notes.all.map(\.folder)).union(unsettledFolders.removals)
            let staged = uploads.compactMap { folder -> StagingLeftover? in
                guard case .upload(let upload) = folder, !busy.contains(folder) else { return nil }
                return .staged(upload)
            }
            return staged + Set(notes.left.map(\.commit)).map { .committing($0) }
        }
    }

    package func unsettled(
        besides isUnfinished: @escaping @Sendable (ObjectID) async throws -> Bool
    ) async throws -> [CommitNote] {
        for (folder, note) in unsettledFolders.takeRemovals() {
            do {
                let keys = try await keys(in: folder)
                // Asked after the list: what another upload gets later is not in it.
                if case .upload(let upload) = folder, try await isUnfinished(upload) {
                    unsettledFolders.keepRemoval(folder, note)
                } else {
                    try await remove(keys, note)
                }
            } catch {
                unsettledFolders.keepRemoval(folder, note)
            }
        }
        return try await bucket.run { [self] _ in
            let own = Set(unsettledFolders.notes)
            let left = try survey().left.filter { note in note.server != servers.own }
            return Array(own.union(left.map(\.commit)))
        }
    }

    /// Finds all notes and those of this server and of servers that ended, and removes the bytes of requests to those
    /// that ended; blocks.
    private func survey() throws -> (all: [StagingNames.Note], left: [StagingNames.Note]) {
        let drafts = try bucket.folders(names.drafts, names)
        let all = try bucket.objects(names.notes).compactMap { names.note(named: $0.key) }
        var ids = Set(all.map(\.server))
        for case .draft(let server, _) in drafts { ids.insert(server) }
        let ended = try servers.ended(among: ids)
        let noted = Set(all.map(\.folder))
        for draft in drafts where !noted.contains(draft) {
            guard case .draft(let server, _) = draft, ended.contains(server) else { continue }
            try bucket.client.delete(bucket.objects(names.segments(in: draft)).map(\.key))
        }
        return (all, all.filter { $0.server == servers.own || ended.contains($0.server) })
    }

    /// The names of the objects in a folder.
    func keys(in folder: StagingNames.Folder) async throws -> [String] {
        try await bucket.run { [bucket, names] _ in try bucket.objects(names.segments(in: folder)).map(\.key) }
    }

    /// Removes staged bytes and then their note.
    func remove(_ keys: [String], _ note: StagingNames.Note?) async throws {
        try await bucket.run { [names] client in
            try client.delete(keys)
            if let note { try client.delete([names.name(of: note)]) }
        }
    }

    /// Removes what the last reader of a folder leaves behind.
    func remove(_ removal: UnsettledFolders.Removal, from folder: StagingNames.Folder) {
        guard let keys = removal.keys else { return unsettledFolders.keepRemoval(folder, removal.note) }
        bucket.pool.submit { [self] _ in remove(folder, removal.note, keys) }
    }

    /// Removes staged bytes and then their note; blocks.
    ///
    /// If that fails, ``unsettled()`` and the start of a server try again.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - note: The note, if there is one.
    ///   - keys: The names of the bytes; `nil` for all in the folder.
    func remove(_ folder: StagingNames.Folder, _ note: StagingNames.Note?, _ keys: [String]? = nil) {
        do {
            try bucket.client.delete(keys ?? bucket.objects(names.segments(in: folder)).map(\.key))
            if let note { try bucket.client.delete([names.name(of: note)]) }
        } catch {
            unsettledFolders.keepRemoval(folder, note)
            guard let error = error as? S3Error else { return }
            _ = bucket.health.reported(ServiceError(error))
        }
    }

    static func randomID() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36)
    }
}
