/// What reviewers and operators read and set.
extension CensorService {
    /// A page of a list, newest first.
    package struct Listing: Sendable {
        /// The entries, as members of the API.
        package let results: [[String: JSONValue]]
        /// The position after the page; `nil` at the end.
        package let cursor: String?

        /// The body of the answer.
        package var members: [String: JSONValue] {
            var members: [String: JSONValue] = ["results": .array(results.map(JSONValue.object))]
            members["cursor"] = cursor.map(JSONValue.string)
            return members
        }
    }

    /// The maximum and the default number of entries of a page.
    package static let pageLimit = (most: 200, default: 50)

    /// The files with a verdict, newest first.
    ///
    /// - Parameters:
    ///   - verdict: The verdict; `nil` for all.
    ///   - from: Files that were created at this time or later.
    ///   - to: Files that were created before this time.
    ///   - limit: The number of files.
    ///   - cursor: The position of an earlier page.
    ///   - caller: The caller.
    /// - Returns: The page.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``; ``ServiceError/Code/badRequest`` for a wrong cursor.
    package func files(
        with verdict: Verdict?,
        from: Timestamp?,
        to: Timestamp?,
        limit: Int,
        cursor: String?,
        as caller: Caller
    ) async throws -> Listing {
        try caller.requireMasterKey()
        let field = FieldPath(field: VerdictField.verdict)
        var parts = [Condition.field(field, verdict.map { .equals(.string($0.rawValue)) } ?? .exists(true))]
        let created = FieldPath(field: "createdAt")
        if let from { parts.append(.field(created, .compares(.greaterOrEqual, .date(from)))) }
        if let to { parts.append(.field(created, .compares(.less, .date(to)))) }
        return try await list(.file, where: .all(parts), limit: limit, cursor: cursor) { shown($0).members }
    }

    /// The audit log, newest first.
    ///
    /// - Throws: As ``files(with:from:to:limit:cursor:as:)``.
    package func log(limit: Int, cursor: String?, as caller: Caller) async throws -> Listing {
        try caller.requireMasterKey()
        return try await list(.censorLog, where: .always, limit: limit, cursor: cursor) { $0.fields }
    }

    /// The known images, newest first.
    ///
    /// - Throws: As ``files(with:from:to:limit:cursor:as:)``.
    package func knownImages(limit: Int, cursor: String?, as caller: Caller) async throws -> Listing {
        try caller.requireMasterKey()
        return try await list(.knownImage, where: .always, limit: limit, cursor: cursor) { object in
            var members = object.fields
            members["id"] = .string(object.id.description)
            members["createdAt"] = .string(object.createdAt.iso8601)
            return members
        }
    }

    private func list(
        _ name: ClassName,
        where condition: Condition,
        limit: Int,
        cursor: String?,
        _ members: @Sendable (StoredObject) -> [String: JSONValue]
    ) async throws -> Listing {
        let key = SortKey(FieldPath(field: "createdAt"), descending: true)
        let scan = try Scan(of: name, where: condition, key: key, page: Page(first: limit), cursor: cursor)
        let objects = try await store.read { reader in
            try reader.find(ObjectQuery(name, where: scan.conditionOnPage, order: scan.order, page: scan.page))
        }
        let isLast = objects.count < limit
        return Listing(
            results: objects.map(members),
            cursor: isLast ? nil : try objects.last.map { try scan.cursor(after: $0, in: name) }
        )
    }

    /// The app's settings.
    package func settings(as caller: Caller) throws -> CensorSettings {
        try caller.requireMasterKey()
        return policy.settings
    }

    /// Changes settings; the new ones are in force when this returns.
    ///
    /// - Parameters:
    ///   - given: The members to change.
    ///   - name: Who changes them, for the log.
    ///   - caller: The caller.
    /// - Returns: All settings.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``, ``ServiceError/Code/badRequest`` naming the member.
    package func change(
        _ given: [String: JSONValue],
        by name: String?,
        as caller: Caller
    ) async throws -> CensorSettings {
        try caller.requireMasterKey()
        let now = now()
        return try await store.write { [ids] writer in
            writer.caller = caller
            let before = try writer.censorSettings()
            let after = try before.changed(by: given)
            if let id = after.blockedImage, given["blockedImage"] != nil {
                guard let record = try writer.object(id, in: .file), record.fileKey != nil,
                    CheckedFile.canBeImage(record)
                else { throw ServiceError(.badRequest, "blockedImage must be an image that is stored here.") }
            }
            guard before != after else { return after }
            try writer.save(after, at: now)
            let entry = CensorLogEntry.Event.settings(
                before: before.members.filter { after.members[$0.key] != $0.value },
                after: after.members.filter { before.members[$0.key] != $0.value },
                by: name
            )
            try writer.log(CensorLogEntry(entry, at: now), ids: ids)
            return after
        }
    }

    /// What is switched on and how much waits.
    package func status(as caller: Caller) async throws -> [String: JSONValue] {
        try caller.requireMasterKey()
        let progress = try await queue.progress()
        let unavailability = classifier.unavailability
        let (settings, known) = (policy.settings, try await store.read { try $0.count(.always, in: .knownImage) })
        var model: [String: JSONValue] = ["available": .bool(unavailability == nil)]
        model["reason"] = unavailability.map(JSONValue.string)
        return [
            "auto": .bool(settings.isAutomatic), "hold": .bool(settings.holds), "classifier": .object(model),
            "webhook": .bool(webhookSecret != nil), "purge": .bool(queue.purge != nil),
            "waiting": .object([
                "new": .integer(Int64(progress.waiting)), "bulk": .integer(Int64(progress.waitingBulk)),
            ]),
            "oldestSeconds": .integer(Int64(progress.oldestSeconds)), "known": .integer(Int64(known)),
        ]
    }

    /// The record of an image by a signed address.
    ///
    /// - Returns: The location of its bytes.
    /// - Throws: ``ServiceError/Code/forbidden``, ``ServiceError/Code/fileNotFound``.
    package func preview(file: String, expires: String, signature: String) async throws -> ImageOrigin {
        let id = try previews.verified(file: file, expires: expires, signature: signature)
        guard let record = try await store.read({ try $0.object(id, in: .file) }) else { throw FileService.notFound }
        return try await queue.checks.origin(of: record)
    }
}
