internal import DiskBlobs
internal import Domain
internal import NIOPosix
internal import S3
internal import S3Blobs
internal import Storage

/// The move of the bytes of one app: its places, what is copied, and the switch.
struct AppBlobMove: Sendable {
    let app: AppID
    let folder: String
    let databaseURL: Secret
    let phase: BlobMove.Phase
    let leavesDamaged: Bool
    /// The id by which other moves of the storage folder know this one (``MoveLock``).
    let id: String
    /// The servers of the folder that have ended for certain.
    let ended: Set<String>
    let cache: S3FileCache
    let pool: NIOThreadPool
    let report: @Sendable (String) -> Void
    let progress: @Sendable (BlobMove.Outcome, Int) -> Void

    /// The objects of the app in a bucket.
    struct Bucket: Sendable {
        let client: S3Client
        let layout: S3BlobLayout
        let location: S3Location
        let keys: BlobKeys?

        var owners: S3BlobOwners { S3BlobOwners(client, layout: layout, keys: keys) }

        var address: String { "s3://\(location.bucket)/\(layout.root)" }
    }

    /// From where to where.
    enum Route: Sendable {
        case toBucket(Bucket)
        case toFolder(from: Bucket)
        case betweenBuckets(from: Bucket, to: Bucket)
    }

    /// Moves along a route.
    ///
    /// - Returns: `nil` if everything had been moved before.
    func run(_ route: Route) async throws -> BlobMove.Outcome? {
        let ownership = { (bucket: Bucket) in
            BucketOwnership(
                owners: bucket.owners,
                folder: folder,
                address: bucket.address
            )
        }
        let journal = CopyJournal(in: folder)
        switch route {
        case .toBucket(let bucket):
            let owners = ownership(bucket)
            let schema = try FolderEngine(databaseURL: { databaseURL }).schema(of: folder)
            let ids = try await blocking { try owners.begin(schema: schema?.id) }
            let outcome = try await move(from: try inFolder(asSource: true), to: inBucket(bucket), [bucket])
            guard phase == .last else { return outcome }
            try await blocking {
                try owners.end(ids)
                try journal.remove()
            }
            report("the former bytes are in \(folder)/blobs, trash and staging; remove them when you need them no more")
            return outcome
        case .toFolder(let bucket):
            let owners = ownership(bucket)
            _ = try await blocking { try owners.requireOwn() }
            let outcome = try await move(from: inBucket(bucket), to: try inFolder(asSource: false), [bucket])
            guard phase == .last else { return outcome }
            try await blocking {
                try owners.leave()
                try journal.remove()
            }
            report("the former bytes are below \(bucket.address); remove them when you need them no more")
            return outcome
        case .betweenBuckets(let bucket, let other):
            let (former, owners) = (ownership(bucket), ownership(other))
            guard let ids = try await blocking({ try owners.begin(from: former) }) else { return nil }
            let places = (try await inBucket(bucket), try await inBucket(other))
            let outcome = try await move(from: places.0, to: places.1, [bucket, other])
            guard phase == .last else { return outcome }
            try await blocking { try owners.end(ids, from: former) }
            report("the former bytes are below \(bucket.address); remove them when you need them no more")
            return outcome
        }
    }

    /// A bucket whose key is known: one in use, or one that this move has begun to fill.
    private func inBucket(_ bucket: Bucket) async throws -> BlobMove.Place {
        let encryption = try await blocking { try bucket.owners.encryption() }
        return BlobMove.Place(
            blobs: S3BlobStore(
                bucket.client,
                layout: bucket.layout,
                cache: cache,
                pool: pool,
                encryption: encryption
            ),
            staging: phase == .last ? staging(in: bucket, encryption) : nil,
            checked: { [folder] in
                BucketCheck(folder: folder) {
                    S3CheckedBlobs(bucket.client, layout: bucket.layout, encryption: encryption)
                }
            },
            comparesDigests: false,
            journal: nil
        )
    }

    private func staging(in bucket: Bucket, _ encryption: BlobEncryption? = nil) -> S3StagingArea {
        S3StagingArea(
            bucket.client,
            layout: bucket.layout,
            pool: pool,
            encryption: encryption,
            server: id,
            ended: ended
        )
    }

    /// The folder; as a source beside a server it is only read.
    private func inFolder(asSource isSource: Bool) throws -> BlobMove.Place {
        let isRead = isSource && phase == .beside
        return BlobMove.Place(
            blobs: isRead
                ? DiskBlobStore(reading: folder, pool: pool) : try DiskBlobStore(folder: folder, pool: pool),
            staging: phase == .last ? try DiskStagingArea(folder: folder, pool: pool) : nil,
            checked: { [folder] in FolderBlobs(folder: folder) },
            comparesDigests: !isSource,
            journal: isSource ? nil : CopyJournal(in: folder)
        )
    }

    private func move(
        from source: BlobMove.Place,
        to target: BlobMove.Place,
        _ buckets: [Bucket]
    ) async throws -> BlobMove.Outcome {
        let outcome: BlobMove.Outcome
        switch phase {
        case .beside: outcome = try await copy(from: source, to: target, shownIn: buckets)
        case .last: outcome = try await moveAll(from: source, to: target, buckets)
        }
        for damage in outcome.damaged { report(damage) }
        guard outcome.damaged.isEmpty || leavesDamaged else {
            throw ExitError.incomplete(
                "the bytes of \(outcome.damaged.count) files of app \(app) are missing or damaged; nothing was switched. "
                    + "Restore them, or leave them behind with --leave-damaged"
            )
        }
        return outcome
    }

    /// Copies beside servers; the last run does not begin meanwhile, on whichever machine it is.
    private func copy(
        from source: BlobMove.Place,
        to target: BlobMove.Place,
        shownIn buckets: [Bucket]
    ) async throws -> BlobMove.Outcome {
        let signs = buckets.map { staging(in: $0) }
        return try await withThrowingTaskGroup(of: BlobMove.Outcome?.self) { group in
            for sign in signs {
                group.addTask {
                    await sign.run()
                    return nil
                }
            }
            group.addTask {
                let records = try await records()
                let move = BlobMove(
                    records: records,
                    source: source,
                    target: target,
                    phase: .beside,
                    pool: pool,
                    progress: progress
                )
                let result = await Result { try await move.run() }
                try await blocking { try records.close() }
                return try result.get()
            }
            var outcome: BlobMove.Outcome?
            while outcome == nil, let result = try await group.next() { outcome = result }
            group.cancelAll()
            try await group.waitForAll()
            for sign in signs { await sign.leave() }
            return outcome ?? BlobMove.Outcome()
        }
    }

    /// Moves the rest, after the bytes of deleted files are removed as a server does.
    private func moveAll(
        from source: BlobMove.Place,
        to target: BlobMove.Place,
        _ buckets: [Bucket]
    ) async throws -> BlobMove.Outcome {
        for bucket in buckets where try await staging(in: bucket).hasLivingServers() {
            throw ExitError.storage(
                "a server or another move used \(bucket.address) in the last minute, and did not end by itself: stop all "
                    + "of them, and migrate again after a minute"
            )
        }
        let database = try await OpenedDatabase(of: folder, databaseURL)
        let result = await Result {
            let files = FileService(files: FileRecords(database.store), blobs: source.blobs)
            let deletions = FileDeletions(app: app, store: database.store, blobs: source.blobs, files: files)
            guard await deletions.drain() else {
                throw ExitError.storage("the bytes of deleted files of app \(app) cannot be removed; see lcfile check")
            }
            let records = try await records()
            let move = BlobMove(
                records: records,
                source: source,
                target: target,
                phase: .last,
                pool: pool,
                recorded: { try await database.store.recordedBytes(of: $0) },
                progress: progress
            )
            let result = await Result { try await move.run() }
            try await blocking { try records.close() }
            return try result.get()
        }
        try await database.close()
        return try result.get()
    }

    private func records() async throws -> any CheckedDatabase {
        try await blocking {
            let engine = FolderEngine(databaseURL: { databaseURL })
            // Without a server, SQLite would treat the intact part of the log as the whole. The last run opens the
            // database as a server does, which refuses such a log.
            if phase == .beside, let damage = try engine.certainLogDamage(in: folder) {
                throw OpenFailure(message: damage.advice)
            }
            return try engine.openFiles(in: folder)
        }
    }

    private func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await pool.runIfActive(body)
    }
}

extension Result where Failure == any Error {
    /// The result of a body, also if it throws.
    fileprivate init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
