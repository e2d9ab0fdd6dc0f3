package import FileClient
internal import FoundationEssentials
internal import Glibc

/// Writes the objects of a running app to a folder in the form of an export; the app is one of LeanCloud or lcfile.
///
/// A download that was interrupted continues: a class is in `<Class>.jsonl.part` until it is complete, and a part
/// continues behind its last object. Memory holds a page of objects. The files have mode 0600. Names of classes and
/// fields become names of files, so names that are not valid are refused before a file is written.
package struct AppDownload: Sendable {
    /// The number of objects of a request, which servers limit to 1000.
    private static let pageSize = 500
    /// Classes of lcfile that hold its own state, and are made again when objects are imported.
    private static let internalClasses: Set<String> = [
        "_Session", "_Upload", "_UploadPart", "_Usage", "_Deletion", "_Trash", "_Damage", "_GoneKey", "_Identity",
        "_Mail", "_MailLink", "_Inbox", "_InboxItem", "_PeopleJob", "_Sms", "_SmsCode", "_Captcha",
        "_CensorJob", "_CensorRun", "_CensorLog", "_CensorSettings", "_KnownImage",
        "_ConsoleSession", "_ConsoleAudit", "_LiveQuery",
    ]

    private let client: FileClient
    private let folder: String
    private let classNames: Set<String>
    private let starts: [String: String]
    private let notice: @Sendable (String) -> Void

    /// Creates a download.
    ///
    /// - Parameters:
    ///   - client: The app, with its master key.
    ///   - folder: The folder, which exists.
    ///   - classNames: The classes; empty for all.
    ///   - starts: The times, in ISO 8601, from which on objects must have changed, by class; all objects of the
    ///     other classes are downloaded.
    ///   - notice: Receives sentences about what the user should know.
    package init(
        _ client: FileClient,
        to folder: String,
        of classNames: Set<String> = [],
        changedSince starts: [String: String] = [:],
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.client = client
        self.folder = folder
        self.classNames = classNames
        self.starts = starts
        self.notice = notice
    }

    /// Downloads schemas, objects, relations, and the permissions and indexes that the server shows.
    ///
    /// - Throws: ``FileClientError``; ``MigrationError`` if the folder cannot be written, or the server names a class or
    ///   a relation with a name that is not valid.
    package func callAsFunction() async throws {
        let schemas = try await client.reply("schemas").members ?? [:]
        let names = schemas.keys.filter { name in
            !AppDownload.internalClasses.contains(name) && (classNames.isEmpty || classNames.contains(name))
        }.sorted()
        let relations = try relations(of: names, in: schemas)
        for name in names { try write(schemas[name] ?? .object([:]), to: "\(name)_schema.json") }
        for name in names { try await downloadObjects(of: name) }
        for relation in relations {
            try await downloadRelation(relation.field, of: relation.className, to: relation.target)
        }
        try await downloadRules(of: names)
    }

    /// The relations of classes, whose names and those of their relations are checked.
    private func relations(of names: [String], in schemas: [String: JSON]) throws(MigrationError) -> [Relation] {
        var found: [Relation] = []
        for name in names {
            guard NameRules.isClassName(name) else {
                throw MigrationError("the server \(client.server) has a class '\(name)', which is no valid class name")
            }
            for (field, attributes) in (schemas[name]?.members ?? [:]).sorted(by: { $0.key < $1.key }) {
                guard attributes["type"]?.string == "Relation", let target = attributes["className"]?.string else {
                    continue
                }
                guard NameRules.isFieldName(field) else {
                    throw MigrationError(
                        "the server \(client.server) has a relation '\(field)' in the class \(name), which is no valid "
                            + "field name"
                    )
                }
                found.append(Relation(className: name, field: field, target: target))
            }
        }
        return found
    }

    private struct Relation {
        let className: String
        let field: String
        /// The class of the members.
        let target: String
    }

    /// The URL of the server's time, by which later downloads take what has changed since.
    package func serverTime() async throws -> String? {
        try await client.reply("date")["iso"]?.string
    }

    // MARK: - Objects

    private func downloadObjects(of className: String) async throws {
        guard let file = try PartialLines(folder, className + ".jsonl") else { return }
        var last = file.lastLine.flatMap { try? JSON(parsing: $0)["objectId"]?.string }
        while true {
            var conditions: [String: JSON] = [:]
            if let last { conditions["objectId"] = .object(["$gt": .string(last)]) }
            if let start = starts[className] {
                let date = JSON.object(["__type": .string("Date"), "iso": .string(start)])
                conditions["updatedAt"] = .object(["$gte": date])
            }
            // A short page can be one that reached the size of a reply, so only an empty one is the last.
            let page = try await page(of: className, conditions, [("returnACL", "true")])
            guard let end = page.last?["objectId"]?.string else { break }
            try file.append(page)
            last = end
        }
        try file.finish()
    }

    private func page(
        of className: String,
        _ conditions: [String: JSON],
        _ more: [(name: String, value: String)]
    ) async throws -> [JSON] {
        var parameters = [("order", "objectId"), ("limit", String(AppDownload.pageSize))] + more
        if !conditions.isEmpty { parameters.append(("where", JSON.object(conditions).description)) }
        return try await client.objects(of: className, parameters)
    }

    // MARK: - Relations

    private func downloadRelation(_ field: String, of className: String, to target: String) async throws {
        let name = "_Join:\(field):\(className).jsonl"
        guard let file = try PartialLines(folder, name, continuing: false) else { return }
        var owners = try ElementReader(
            ByteReader(path: "\(folder)/\(className).jsonl"),
            path: "\(className).jsonl"
        )
        while true {
            var ids: [String] = []
            while ids.count < 64, let element = try owners.next() {
                let row = try JSON(parsing: try element.content.get())
                if let id = row["objectId"]?.string { ids.append(id) }
            }
            guard !ids.isEmpty else { break }
            let found = try await withThrowingTaskGroup(of: (String, [String]).self) { group in
                for id in ids { group.addTask { (id, try await members(of: id, field, className, target)) } }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for id in ids {
                try file.append(
                    (found[id] ?? []).map { .object(["owningId": .string(id), "relatedId": .string($0)]) }
                )
            }
        }
        try file.finish()
    }

    private func members(
        of owner: String,
        _ field: String,
        _ className: String,
        _ target: String
    ) async throws -> [String] {
        let pointer = JSON.object([
            "__type": .string("Pointer"), "className": .string(className), "objectId": .string(owner),
        ])
        var found: [String] = []
        while true {
            var conditions = ["$relatedTo": JSON.object(["object": pointer, "key": .string(field)])]
            if let last = found.last { conditions["objectId"] = .object(["$gt": .string(last)]) }
            let page = try await page(of: target, conditions, [("keys", "objectId")])
            guard !page.isEmpty else { return found }
            found += page.compactMap { $0["objectId"]?.string }
            if page.count < AppDownload.pageSize { return found }
        }
    }

    // MARK: - Rules of classes

    private func downloadRules(of names: [String]) async throws {
        do {
            let permissions = try await client.reply("permissions").members ?? [:]
            try write(.object(permissions.filter { names.contains($0.key) }), to: "_permissions.json")
            var indexes: [String: JSON] = [:]
            for name in names {
                let found = try await client.reply("indexes/" + FileClient.percentEncoded(name))["results"]
                if let found, found.elements?.isEmpty == false { indexes[name] = found }
            }
            try write(.object(indexes), to: "_indexes.json")
        } catch let error as FileClientError where [400, 403, 404].contains(error.status) {
            notice(
                "The server does not show class permissions and indexes; set them with 'lcfile permissions' and "
                    + "'lcfile index'."
            )
        }
    }

    private func write(_ value: JSON, to name: String) throws(MigrationError) {
        do {
            try Data(value.encoded + [0x0a]).write(to: URL(filePath: "\(folder)/\(name)"), options: .atomic)
        } catch {
            throw MigrationError("\(folder)/\(name) cannot be written")
        }
        chmod("\(folder)/\(name)", 0o600)
    }
}
