package import FileClient

/// Compares everything in an export with what a server has; differences are in the journal.
package struct LeanCloudVerification: Sendable {
    private let export: Export
    private let client: FileClient
    private let run: MigrationRun
    private let options: LeanCloudImport.Options
    private let notice: @Sendable (String) -> Void

    /// Creates a verification, with the arguments of the import.
    package init(
        _ export: Export,
        _ client: FileClient,
        _ run: MigrationRun,
        _ options: LeanCloudImport.Options,
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.export = export
        self.client = client
        self.run = run
        self.options = options
        self.notice = notice
    }

    /// Compares objects field by field, files with their bytes, and the members of relations.
    ///
    /// Everything in the export counts, whether the journal knows it or not.
    ///
    /// - Throws: As ``MigrationRun/verify(_:inBatchesOf:from:by:)``.
    package func callAsFunction() async throws {
        try await run.journal.beginVerification()
        try await run.journal.noteDifferences(
            export.unusable.map { ($0.name, ItemEnd.failed("cannot be used: \($0.reason)")) },
            of: "export"
        )
        let chosen = options.classNames
        let rules = ClassRules(export: export) { chosen.isEmpty || chosen.contains($0) }
        for name in export.classNames where rules.isChosen(name) {
            let fields = try await client.knownFields(of: name)
            let comparison = ObjectComparison(className: name, fields: fields)
            if name == "_File" { try await verifyFiles(comparison) } else { try await verifyObjects(comparison) }
            try await noticeOthers(name)
        }
        for (className, field) in export.joins where rules.isChosen(className) {
            let kind = "_Join:\(field):\(className)"
            let known = try await client.knownFields(of: className)[field]?.className
            guard let target = known ?? rules.target(of: field, className) else {
                let reason = "was not imported: neither the export nor the server says to which class it leads"
                try await run.journal.noteDifferences([(kind, .failed(reason))], of: kind)
                continue
            }
            let relation = RelationImport(client: client, className: className, field: field, target: target)
            let export = export
            let open = { @Sendable in try ExportRelation(export, className, field) }
            try await run.verify(kind, inBatchesOf: RelationImport.batch, from: open) { batch, _ in
                await relation.compare(batch)
            }
        }
    }

    private func verifyObjects(_ comparison: ObjectComparison) async throws {
        let (export, client, name) = (export, client, comparison.className)
        let open = { @Sendable in try ExportObjects(export, name) }
        try await run.verify(name, inBatchesOf: ObjectImport.batch, from: open) { batch, _ in
            await comparison.compare(batch.map { ($0.item.name, $0.item.value) }, on: client)
        }
    }

    private func verifyFiles(_ comparison: ObjectComparison) async throws {
        let (export, client, domain) = (export, client, options.fileDomain)
        // With a mirror, an import without files creates the records of all files.
        let hasMirror = options.leavesOutFiles ? try await client.hasMirror() : false
        let records = { @Sendable in try ExportFileRecords(export, includingInternal: hasMirror) }
        try await run.verify("_File", inBatchesOf: ObjectImport.batch, from: records) { batch, _ in
            await comparison.compare(batch.map { ($0.item.name, $0.item.value) }, on: client)
        }
        guard !options.leavesOutFiles else { return }
        let files = FileVerification(client)
        let open = { @Sendable in try ExportFileItems(export, domain: domain) }
        try await run.verify("_File", inBatchesOf: .init(items: 20), from: open) { batch, progress in
            let bytes = await files.compare(batch, progress)
            let fields = await comparison.compare(
                batch.map { ($0.item.name, .object($0.item.expected?.fields ?? [:])) },
                on: client
            )
            return zip(bytes, fields).map { bytes, fields in
                if case .done = bytes { fields } else { bytes }
            }
        }
    }

    /// Says how many objects the server has that are not in the export.
    private func noticeOthers(_ className: String) async throws {
        let totals = try await export.totals(of: [className]).count
        let path = "classes/" + FileClient.percentEncoded(className)
        let reply = try await client.reply(path, [("count", "1"), ("limit", "0")])
        guard case .integer(let count) = reply["count"], count > totals else { return }
        notice("\(className) has \(count - Int64(totals)) objects on the server that are not in the export.")
    }
}

extension ObjectComparison {
    /// Compares objects with those of a server and returns the end of each, in order.
    func compare(_ objects: [(id: String, value: JSON)], on client: FileClient) async -> [ItemEnd] {
        do {
            let stored = try await client.objects(of: className, withIDs: objects.map(\.id))
            return objects.map { id, value in
                guard let known = stored[id] else { return .failed("the server has no such object") }
                let names = differences(value, known)
                return names.isEmpty ? .done : .failed("these fields differ: \(names.joined(separator: ", "))")
            }
        } catch {
            let end = await ItemEnd.of { throw error }
            return objects.map { _ in end }
        }
    }
}

extension RelationImport {
    /// Checks that relations have their members; members that do not exist as objects are not seen.
    fileprivate func compare(_ batch: [PlannedItem<RelationChunk>]) async -> [ItemEnd] {
        var ends: [ItemEnd] = []
        for planned in batch {
            ends.append(
                await ItemEnd.of {
                    var missing = Set(planned.item.related)
                    var rest = planned.item.related[...]
                    while !rest.isEmpty {
                        missing.subtract(try await members(of: planned.item.owner, among: Array(rest.prefix(100))))
                        rest = rest.dropFirst(100)
                    }
                    let lost = try await client.objects(of: target, withIDs: missing.sorted()).count
                    guard lost == 0 else { throw MigrationError("\(lost) members are missing on the server") }
                }
            )
        }
        return ends
    }

    private func members(of owner: String, among ids: [String]) async throws -> [String] {
        let pointer = JSON.object([
            "__type": .string("Pointer"), "className": .string(className), "objectId": .string(owner),
        ])
        let condition = JSON.object([
            "$relatedTo": .object(["object": pointer, "key": .string(field)]),
            "objectId": .object(["$in": .array(ids.map(JSON.string))]),
        ])
        let parameters = [("where", condition.description), ("keys", "objectId"), ("limit", "1000")]
        return try await client.objects(of: target, parameters).compactMap { $0["objectId"]?.string }
    }
}

extension FileClient {
    /// The fields of a class; empty if it does not exist.
    func knownFields(of className: String) async throws -> [String: ClassField] {
        do {
            return try await fields(of: className)
        } catch let error as FileClientError where error.status == 404 {
            return [:]
        }
    }
}
