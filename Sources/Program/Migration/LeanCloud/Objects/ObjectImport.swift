internal import FileClient

/// Creates objects on the server with the ids and times that they had, each exactly once.
struct ObjectImport: Sendable {
    /// What a batch contains: the server takes bodies of 20 MB, and a smaller batch is sooner in the journal.
    static let batch = MigrationRun.BatchLimit(items: 100, bytes: 2 << 20)

    private let client: FileClient
    private let className: String
    /// Whether an object that differs on the server is changed, instead of refused.
    private let changes: Bool
    /// See ``LeanCloudImport/Options/givesSecretsOnly``.
    private let givesSecretsOnly: Bool

    init(
        _ client: FileClient,
        of className: String,
        changing changes: Bool,
        secretsOnly givesSecretsOnly: Bool = false
    ) {
        self.client = client
        self.className = className
        self.changes = changes
        self.givesSecretsOnly = givesSecretsOnly
    }

    /// Changes the record of a file whose bytes the server has to what it is in the export.
    func update(_ object: ExportedObject) async -> ItemEnd {
        do {
            // Without a record of this id, the file of another row has the same key.
            return try await compare([object])[0] ?? .done
        } catch {
            return await ItemEnd.of { throw error }
        }
    }

    /// Sends a batch and returns the end of each object.
    func send(_ batch: [PlannedItem<ExportedObject>], _ progress: BatchProgress) async -> [ItemEnd] {
        let objects = batch.map(\.item)
        do {
            // An object that was changed since it was imported is on the server: creating it would be in vain.
            let results = try await create(objects)
            progress.sent(objects.reduce(0) { $0 + Int64($1.body.count) })
            var ends: [ItemEnd] = []
            var known: [Int] = []
            for (index, result) in results.enumerated() {
                switch result {
                case .success: ends.append(.done)
                case .failure(let error) where error.isAboutServer: ends.append(.stopped(error))
                case .failure(let error):
                    // A user that the server has can be refused for another reason before the server looks for its id,
                    // such as an older name that is another user's by now.
                    if className == "_User" || error.code == FileClientError.duplicateValue { known.append(index) }
                    ends.append(.failed(error.message))
                }
            }
            if !known.isEmpty {
                let found = try await compare(known.map { objects[$0] })
                for (index, end) in zip(known, found) {
                    if let end { ends[index] = end }
                }
            }
            return ends
        } catch {
            let end = await ItemEnd.of { throw error }
            return objects.map { _ in end }
        }
    }

    private var path: String {
        className == "_User" ? "users" : "classes/" + FileClient.percentEncoded(className)
    }

    /// Creates objects; a batch that the server refuses as a whole is halved until only the refused object fails.
    private func create(_ objects: [ExportedObject]) async throws -> [Result<JSON, FileClientError>] {
        do {
            return try await client.batch(objects.map { BatchCall("POST", path, $0.body) })
        } catch let error as FileClientError where error.kind == .refused && !error.isAboutServer {
            guard objects.count > 1 else { return objects.map { _ in .failure(error) } }
            let half = objects.count / 2
            return try await create(Array(objects[..<half])) + create(Array(objects[half...]))
        }
    }

    /// The ends of refused objects whose ids the server has; `nil` leaves the server's refusal.
    private func compare(_ objects: [ExportedObject]) async throws -> [ItemEnd?] {
        let stored = try await client.objects(of: className, withIDs: objects.map(\.name))
        let comparison = ObjectComparison(className: className, fields: try await client.fields(of: className))
        var ends: [ItemEnd?] = []
        for object in objects {
            guard let known = stored[object.name] else {
                ends.append(nil)
                continue
            }
            let names = comparison.differences(object.value, known)
            if changes {
                let body = change(of: object, from: known, names, comparison)
                ends.append(await ItemEnd.of { if let body { try await update(object.name, body) } })
            } else if names.isEmpty {
                ends.append(.done)
            } else {
                let list = names.joined(separator: ", ")
                ends.append(.failed("the server has an object with this objectId and other values: \(list)"))
            }
        }
        return ends
    }

    /// The fields of an object that differ, or `nil` if nothing is to be changed; fields that are gone are deleted.
    ///
    /// Of a file the server changes the ACL, the name and `metaData` only, and refuses a change that has other fields.
    private func change(
        of object: ExportedObject,
        from stored: JSON,
        _ names: [String],
        _ comparison: ObjectComparison
    ) -> JSON? {
        var (value, names) = (comparison.withoutMissing(object.value), names)
        if givesSecretsOnly, !ObjectComparison.isNewer(value, than: stored) {
            // The rest can have come from the running app since the export was made, and does not come again.
            names = []
            value = .object((value.members ?? [:]).merging(["updatedAt": stored["updatedAt"] ?? .null]) { $1 })
        }
        var body: [String: JSON] = [:]
        let isFile = className == "_File"
        let changed = names.filter { !isFile || ObjectImport.isChangeable($0, ofFile: value) }
        for name in changed where name != "createdAt" {
            body[name] = value[name] ?? .object(["__op": .string("Delete")])
        }
        // A missing ACL means that all have all rights; the default ACL of the class can be another one.
        if names.contains("ACL"), value["ACL"] ?? .null == .null { body["ACL"] = ExtendedJSON.everyone }
        if isFile, body["metaData"] != nil {
            // The server adds members of its own.
            let added = stored["metaData"]?.members ?? [:]
            body["metaData"] = .object(added.merging(value["metaData"]?.members ?? [:]) { _, new in new })
        }
        if className == "_User" { addAccount(of: value, from: stored, to: &body) }
        guard !body.isEmpty || !changed.isEmpty else { return nil }
        body["updatedAt"] = value["updatedAt"]
        return .object(body)
    }

    /// Whether the server can give a field of a file the value that it has in the export.
    private static func isChangeable(_ name: String, ofFile record: JSON) -> Bool {
        switch name {
        case "ACL", "metaData", "updatedAt": true
        // A file without one has the name that the server gave it.
        case "name": record["name"]?.string?.isEmpty == false
        default: false
        }
    }

    /// Adds fields of a user that the server does not show, or that it changes together with others.
    private func addAccount(of value: JSON, from stored: JSON, to body: inout [String: JSON]) {
        func given(_ name: String) -> JSON? { value[name] == .string("") || value[name] == .null ? nil : value[name] }
        // An update of `authData` leaves the platforms that it does not name.
        if body["authData"] != nil, var platforms = value["authData"]?.members {
            for name in (stored["authData"]?.members ?? [:]).keys where platforms[name] == nil && !name.hasPrefix("_") {
                platforms[name] = .null
            }
            body["authData"] = .object(platforms)
        }
        // With a new address or number, the server would take it for unverified.
        if body["email"] != nil { body["emailVerified"] = value["emailVerified"] }
        if body["mobilePhoneNumber"] != nil { body["mobilePhoneVerified"] = value["mobilePhoneVerified"] }
        // The server shows neither, and compares a hash and a token with those of the last import, which gives a time.
        // A password that is no hash would be another one each time.
        let isImport = value["updatedAt"] != nil
        let isHash = given("salt") != nil || given("bcryptPassword") != nil
        if !body.isEmpty || isImport && isHash {
            for name in ["password", "bcryptPassword"] { body[name] = given(name) }
            if body["password"] != nil { body["salt"] = given("salt") }
        }
        if isImport { body["sessionToken"] = given("sessionToken") }
    }

    /// Changes an object of the server.
    private func update(_ id: String, _ body: JSON) async throws {
        let call = BatchCall("PUT", "\(path)/\(FileClient.percentEncoded(id))", body.encoded)
        for result in try await client.batch([call]) { _ = try result.get() }
    }
}
