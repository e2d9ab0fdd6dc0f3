/// Censorship of one app's images, for the master key (docs/censorship.md).
package struct CensorService: Sendable {
    let store: any ObjectStore
    /// Does the work that can wait.
    package let queue: CensorQueue
    let policy: CensorPolicy
    let classifier: any ImageClassifier
    let previews: Previews
    let presentation: FilePresentation
    let webhookSecret: Secret?
    let known: KnownImages
    let checking: Admission

    /// - Parameters:
    ///   - queue: Does the work that can wait; its store and settings are used here, too.
    ///   - classifier: The classifier, for its state.
    ///   - known: The list of known images.
    ///   - previews: Makes addresses of images for reviewers.
    ///   - presentation: Makes the URLs of files.
    ///   - webhookSecret: Signs callbacks; `nil` without a webhook.
    package init(
        queue: CensorQueue,
        classifier: any ImageClassifier,
        known: KnownImages,
        previews: Previews,
        presentation: FilePresentation,
        webhookSecret: Secret?
    ) {
        store = queue.store
        self.queue = queue
        policy = queue.policy
        self.classifier = classifier
        self.known = known
        self.previews = previews
        self.presentation = presentation
        self.webhookSecret = webhookSecret
        checking = Admission(
            limit: 4 * queue.limits.workers,
            refusal: "Too many images are being checked; try again in a second."
        )
    }

    /// Reads what the services hold in memory, and gives back the jobs of an earlier process; call it once, before the
    /// first request.
    ///
    /// With a shared store, the holder of the queue's lease gives them back (``LeasedJob/censorship``).
    package func start() async throws {
        try await policy.follow(store)
        try await known.follow(store)
        if !store.isShared { try await queue.recover() }
    }

    /// Reads again what the services hold in memory each time the store lost track of changes, until the task is
    /// cancelled.
    package func readMissedChanges() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await policy.readMissedChanges(of: store) }
            group.addTask { await known.readMissedChanges(of: store) }
        }
    }

    var ids: ObjectIDGenerator { queue.ids }

    func now() -> Timestamp { queue.clock() }

    /// A person's verdict about a file, in force when this returns.
    ///
    /// - Parameters:
    ///   - verdict: Passed or rejected.
    ///   - id: The file.
    ///   - note: What the person notes.
    ///   - name: Who the person is.
    ///   - caller: The caller.
    /// - Returns: The file.
    /// - Throws: As ``check(_:as:)``.
    package func decide(
        _ verdict: Verdict,
        about id: ObjectID,
        note: String?,
        by name: String?,
        as caller: Caller
    ) async throws -> CensoredFile {
        try caller.requireMasterKey()
        let before = try await image(id)
        let version = await queue.checks.shownVersion(of: before)
        let decision = Decision(verdict, by: .person, at: now(), named: name, note: note)
        let record = try await store.write { [queue] writer -> StoredObject? in
            writer.caller = caller
            guard try queue.decide(decision, about: id, version: version, in: writer) != nil else { return nil }
            if verdict == .rejected {
                let job = CensorJob(.learn, of: id, id: queue.ids.next(), at: decision.at)
                try writer.insert(job.object, into: .censorJob)
            } else {
                let known = try writer.find(ObjectQuery(.knownImage, where: KnownImage.isOf(file: id), page: .all))
                try writer.delete(known.map(\.id), in: .knownImage)
            }
            return try writer.object(id, in: .file)
        }
        guard let record else { throw CensorService.notFound }
        return shown(record)
    }

    /// The verdict about a file, and the decisions that led to it.
    ///
    /// - Throws: As ``check(_:as:)``, also for files that are not images.
    package func state(of id: ObjectID, as caller: Caller) async throws -> CensoredFile {
        try caller.requireMasterKey()
        let record = try await image(id)
        var file = shown(record)
        file.history = try await store.read { reader in
            let entries = ObjectQuery(
                .censorLog,
                where: CensorJob.isOf(file: id),
                order: [SortKey(FieldPath(field: "objectId"), descending: true)],
                page: Page(first: 100)
            )
            return try reader.find(entries).compactMap { Decision($0.fields) }
        }
        return file
    }

    func shown(_ record: StoredObject) -> CensoredFile {
        CensoredFile(
            record: record,
            url: record.fileKey.map { presentation.url(of: $0, acl: record.acl) } ?? record.fields["url"]?.stringValue,
            thumbnailURL: previews.thumbnailURL(of: record.id)
        )
    }

    /// The record of an image.
    func image(_ id: ObjectID) async throws -> StoredObject {
        guard let record = try await store.read({ try $0.object(id, in: .file) }) else { throw CensorService.notFound }
        guard CheckedFile.canBeImage(record) else {
            throw ServiceError(.badRequest, "The file is not an image; only images are censored.")
        }
        return record
    }

    static let notFound = ServiceError(.objectNotFound, "File not found.")
}
