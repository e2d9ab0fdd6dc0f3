/// The list of known images, and the answers of the webhook.
extension CensorService {
    /// The maximum number of entries of one request.
    package static let knownBatch = 1000

    /// Adds entries to the list of known images; one that is in the list already is not added again.
    ///
    /// - Parameters:
    ///   - entries: The entries as JSON.
    ///   - name: Who adds them, for the log.
    ///   - caller: The caller.
    /// - Returns: The number of added entries.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``; ``ServiceError/Code/badRequest`` naming the member, or the
    ///   limit.
    package func addKnown(_ entries: [JSONValue], by name: String?, as caller: Caller) async throws -> Int {
        try caller.requireMasterKey()
        guard entries.count <= CensorService.knownBatch else {
            throw ServiceError(.badRequest, "images has more than \(CensorService.knownBatch) entries, the limit.")
        }
        let now = now()
        let images = try entries.map { try KnownImage($0, id: ids.next(), at: now) }
        return try await store.write { [ids] writer in
            guard try writer.count(.always, in: .knownImage) + images.count <= KnownImages.limit else {
                throw ServiceError(.badRequest, "The list would have more than \(KnownImages.limit) images, the limit.")
            }
            var added = 0
            for image in images where try !writer.has(image) {
                try writer.insert(image.object, into: .knownImage)
                added += 1
            }
            if added > 0 {
                try writer.log(CensorLogEntry(.known(added: added, removed: 0, by: name), at: now), ids: ids)
            }
            return added
        }
    }

    /// Removes an entry; files that were rejected because of it keep their verdict.
    ///
    /// - Throws: ``ServiceError/Code/masterKeyRequired``, ``ServiceError/Code/objectNotFound``.
    package func removeKnown(_ id: ObjectID, as caller: Caller) async throws {
        try caller.requireMasterKey()
        let now = now()
        try await store.write { [ids] writer in
            guard try writer.delete(id, in: .knownImage) else {
                throw ServiceError(.objectNotFound, "There is no such entry.")
            }
            try writer.log(CensorLogEntry(.known(added: 0, removed: 1, by: nil), at: now), ids: ids)
        }
    }

    /// The answer that a webhook sends later, at any time after it was asked.
    ///
    /// - Parameters:
    ///   - body: The body as received.
    ///   - timestamp: The header field ``WebhookSignature/timestampHeader``.
    ///   - signature: The header field ``WebhookSignature/signatureHeader``.
    /// - Returns: The verdict in force.
    /// - Throws: ``ServiceError/Code/forbidden`` for a wrong signature, ``ServiceError/Code/badRequest`` for a wrong
    ///   body, ``ServiceError/Code/objectNotFound`` if no check of the file waits for an answer.
    package func callback(_ body: [UInt8], timestamp: String?, signature: String?) async throws -> Verdict {
        let now = now()
        try WebhookSignature.verify(
            body,
            timestamp: timestamp,
            signature: signature,
            secret: webhookSecret ?? Secret(""),
            at: now
        )
        let opinion = try WebhookChecker.opinion(in: body)
        let members = try JSONValue(parsing: body, field: "body").objectValue ?? [:]
        guard let id = members["file"]?.stringValue.flatMap(ObjectID.init) else {
            throw ServiceError(.badRequest, "file must be the objectId of the file.")
        }
        let verdict = try await store.write { [queue] writer -> Verdict? in
            guard let job = try writer.object(id, in: .censorJob).flatMap(CensorJob.init), job.isAwaitingCallback else {
                return nil
            }
            var opinion = opinion
            opinion.scores = job.scores.merging(opinion.scores) { _, new in new }
            let decision = Decision(opinion.counting(isPartial: job.isPartial), by: WebhookChecker.name, at: now)
            return try queue.decide(decision, about: id, version: job.version, in: writer)
        }
        guard let verdict else { throw ServiceError(.objectNotFound, "No check of the file waits for an answer.") }
        return verdict
    }
}

extension ReadTransaction {
    /// Whether the list has an image with the same digest and the same hash.
    fileprivate func has(_ image: KnownImage) throws -> Bool {
        guard let digest = image.digest else {
            guard let hash = image.hash else { return false }
            let isEqual = Condition.field(FieldPath(field: "pdq"), .equals(.string(hash.description)))
            return try count(isEqual, in: .knownImage) > 0
        }
        return try find(ObjectQuery(.knownImage, where: KnownImage.has(digest: digest), page: .all))
            .contains { KnownImage($0).hash?.words == image.hash?.words }
    }
}
