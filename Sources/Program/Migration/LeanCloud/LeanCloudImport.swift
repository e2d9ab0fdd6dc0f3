package import FileClient

/// Imports an export of a LeanCloud app: its classes, files, users, roles, objects and relations, in the order in which
/// they refer to each other.
package struct LeanCloudImport: Sendable {
    /// What is imported, and from where files come.
    package struct Options: Sendable {
        /// The URL in front of the keys of files; `nil` takes the `url` of each record.
        package var fileDomain: String?
        /// The classes to import; empty for all.
        package var classNames: Set<String> = []
        /// Whether bytes of files are left out; with a mirror on the server their records are created.
        package var leavesOutFiles = false
        /// Whether objects that differ on the server are changed.
        package var changesObjects = false
        /// Whether users that the server has, unless they are newer in the export, get passwords and sessions only;
        /// relations and settings of classes are left out.
        package var givesSecretsOnly = false
        /// What is written before the names of classes in the journal, if the same classes come from two sources.
        package var kindPrefix = ""

        /// Creates options that import everything.
        package init() {}

        /// The classes of which an import has brought everything to the server: no object, file or relation of them
        /// failed or was left out.
        ///
        /// - Parameters:
        ///   - export: What was imported, with these options.
        ///   - journal: The journal of the import.
        /// - Returns: The names of the classes.
        /// - Throws: ``MigrationError`` if the journal cannot be read.
        package func completeClasses(of export: Export, _ journal: Journal) async throws -> [String] {
            guard export.unusable.isEmpty else { return [] }
            let failed = Set(
                try await journal.failedKinds().map { kind in
                    if kind == ItemGroup.fileRecords { return "_File" }
                    // The last word of the kind of a relation is its class: `_Join:likes:Post`.
                    return kind.hasPrefix("_Join:") ? kind.split(separator: ":").last.map(String.init) ?? kind : kind
                }
            )
            return export.classNames.filter { name in
                (classNames.isEmpty || classNames.contains(name)) && !failed.contains(name)
                    && !(name == "_File" && leavesOutFiles)
            }
        }
    }

    private let export: Export
    private let client: FileClient
    private let run: MigrationRun
    private let options: Options
    private let notice: @Sendable (String) -> Void

    /// Creates an import.
    ///
    /// - Parameters:
    ///   - export: The export.
    ///   - client: The client, with the master key.
    ///   - run: The run, whose journal says what is done.
    ///   - options: What is imported.
    ///   - notice: Receives sentences about what the user should know.
    package init(
        _ export: Export,
        _ client: FileClient,
        _ run: MigrationRun,
        _ options: Options,
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.export = export
        self.client = client
        self.run = run
        self.options = options
        self.notice = notice
    }

    /// Imports everything that is not on the server yet; items that fail do not stop the others.
    ///
    /// - Parameter users: An import of users that runs before all other objects, and after the fields of the classes:
    ///   its rows need their types; `nil` for none.
    /// - Throws: As ``MigrationRun/send(_:inBatchesOf:from:by:)``.
    package func callAsFunction(users: LeanCloudImport? = nil) async throws {
        let chosen = options.classNames
        let rules = ClassRules(export: export) { chosen.isEmpty || chosen.contains($0) }
        for unusable in export.unusable {
            try await run.journal.refuse(unusable.name, of: "export", because: unusable.reason)
            notice("\(unusable.name) cannot be used: \(unusable.reason)")
        }
        if !options.givesSecretsOnly { try await send(rules.fields, ItemGroup.fields) }
        try await users?.callAsFunction()
        for name in export.classNames where rules.isChosen(name) {
            if name == "_File" { try await sendFiles() } else { try await sendObjects(of: name) }
        }
        // The running app has newer ones: members that were removed since the export was made must not come back.
        guard !options.givesSecretsOnly else { return }
        for (className, field) in export.joins where rules.isChosen(className) {
            try await sendRelation(field, of: className, rules)
        }
        noticeMissingRelations(rules)
        try await send(rules.fieldRules, ItemGroup.fieldRules)
        try await send(rules.indexes, ItemGroup.indexes)
        try await send(rules.permissions, ItemGroup.permissions)
    }

    private func send(_ rules: [ClassRule], _ kind: String) async throws {
        guard !rules.isEmpty else { return }
        let sender = SchemaImport(client: client)
        // One rule of a class at a time: each changes the class as a whole.
        let open = { @Sendable in ItemList(rules) }
        try await run.send(kind, inBatchesOf: .init(items: 20), from: open) { batch, progress in
            await sender.send(batch, progress)
        }
    }

    private func sendFiles() async throws {
        let export = export
        let domain = options.fileDomain
        if let bucket = try ExportFiles.foreignBucket(in: export, appID: client.appID) {
            notice(
                "The files of the export belong to the app whose id begins with \(bucket), not to \(client.appID). "
                    + "Is it the export of this app?"
            )
        }
        let hasMirror = options.leavesOutFiles ? try await client.hasMirror() : false
        let records = ObjectImport(client, of: "_File", changing: options.changesObjects)
        if options.leavesOutFiles {
            if !hasMirror {
                notice("The files of the old server are left out: the app has no mirror.origin that could fetch them.")
            }
        } else {
            let files = FileImport(client, run.journal)
            let changes = options.changesObjects
            let open = { @Sendable in try ExportFileItems(export, domain: domain) }
            try await run.send("_File", from: open) { batch, progress in
                let end = await files.send(batch[0], progress) {
                    // Its bytes stay; its name, its ACL and its metaData can have changed.
                    guard changes, let record = batch[0].item.record else { return .done }
                    return await records.update(record)
                }
                return [end]
            }
            files.removeTemporaryFiles()
        }
        let open = { @Sendable in try ExportFileRecords(export, includingInternal: hasMirror) }
        let kind = hasMirror ? ItemGroup.fileRecords : "_File"
        try await run.send(kind, inBatchesOf: ObjectImport.batch, from: open) { batch, progress in
            await records.send(batch, progress)
        }
    }

    private func sendObjects(of className: String) async throws {
        let export = export
        let objects = ObjectImport(
            client,
            of: className,
            changing: options.changesObjects,
            secretsOnly: options.givesSecretsOnly
        )
        let open = { @Sendable in try ExportObjects(export, className) }
        try await run.send(options.kindPrefix + className, inBatchesOf: ObjectImport.batch, from: open) {
            batch,
            progress in
            await objects.send(batch, progress)
        }
    }

    private func sendRelation(_ field: String, of className: String, _ rules: ClassRules) async throws {
        let export = export
        let kind = "_Join:\(field):\(className)"
        var target = rules.target(of: field, className)
        // Objects of the class can have named it.
        if target == nil { target = try? await client.fields(of: className)[field]?.className }
        guard let target else {
            let reason = "neither the export nor the server says to which class \(className).\(field) leads"
            try await run.journal.refuse(kind, of: kind, because: reason)
            notice("The relation \(className).\(field) is left out: \(reason).")
            return
        }
        let relation = RelationImport(client: client, className: className, field: field, target: target)
        let open = { @Sendable in try ExportRelation(export, className, field) }
        try await run.send(kind, inBatchesOf: RelationImport.batch, from: open) { batch, progress in
            await relation.send(batch, progress)
        }
    }

    private func noticeMissingRelations(_ rules: ClassRules) {
        let joins = Set(export.joins.map { "\($0.className).\($0.field)" })
        var missing: [String] = []
        for (className, fields) in export.schemas where rules.isChosen(className) && !className.hasPrefix("_") {
            for (field, attributes) in fields where attributes["type"]?.string == "Relation" {
                if !joins.contains("\(className).\(field)") { missing.append("\(className).\(field)") }
            }
        }
        guard !missing.isEmpty else { return }
        notice("The export has no members of these relations: \(missing.sorted().joined(separator: ", ")).")
    }
}

extension ExportFiles {
    /// The bucket of the export's first internal file, if it is not that of an app; `nil` otherwise.
    fileprivate static func foreignBucket(in export: Export, appID: String) throws -> String? {
        var rows = try ExportRows(export) { $0 == .objects(className: "_File") }
        for _ in 0..<1000 {
            guard let row = try rows.next() else { return nil }
            guard let content = try? row.content.get(), let file = try? ExportedFile(content, at: row.place) else {
                continue
            }
            guard let bucket = file.bucket, file.key != nil else { continue }
            return bucket == appID.prefix(8) ? nil : bucket
        }
        return nil
    }
}

extension FileClient {
    /// Whether the server fetches files that it does not have from the old file domain.
    func hasMirror() async throws -> Bool {
        do {
            return try await reply("mirror")["origin"]?.string != nil
        } catch let error as FileClientError where error.status == 404 || error.status == 400 {
            return false
        }
    }
}
