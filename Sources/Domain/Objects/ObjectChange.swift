/// The change of one object that a body describes, with its form checked: operations at paths, and an ACL.
package struct ObjectChange: Sendable {
    /// The operations in the order in which they are applied.
    package private(set) var operations: [(path: FieldPath, operation: Operation)] = []
    /// The ACL to set; `nil` leaves it unchanged.
    package private(set) var acl: AccessControlList?
    /// The hash of the password to set for a user; ``AccountPreparation`` replaces the password by it.
    var passwordHash: PasswordHash?
    /// ``passwordHash`` if the client gave the hash itself, as exports have it; `nil` for a plain password, whose hash
    /// has a new salt each time and says nothing about the other server.
    var importedHash: PasswordHash?
    /// The session token of a user whom the master key imports, or whose import it repeats.
    var sessionToken: SessionToken?
    /// The members for the ``SystemFields`` of a new object, or the `updatedAt` of an update; not yet checked.
    private(set) var systemFields: [String: JSONValue] = [:]

    /// Parses a body (protocol/data 3.1).
    ///
    /// - Parameters:
    ///   - json: An object of fields.
    ///   - allowsPaths: Whether names can be paths inside fields: only in updates (protocol/data 3.4).
    /// - Throws: Codes 105, 106, 107, 121, 123, 128, 302, naming the field.
    package init(_ json: JSONValue, allowsPaths: Bool) throws {
        guard let members = json.objectValue else {
            throw ServiceError(.malformedJSON, "The body must be a JSON object.")
        }
        guard members.count <= ObjectChange.maxFields else {
            throw ServiceError(.badRequest, "The body has more than \(ObjectChange.maxFields) fields, the limit.")
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) where !ObjectChange.controlFields.contains(name) {
            guard name != "ACL" else {
                acl = try AccessControlList(value)
                continue
            }
            if allowsPaths ? name == "updatedAt" : SystemFields.names.contains(name) {
                systemFields[name] = value
                continue
            }
            let path = try FieldPath(name)
            try FieldPath.requireFree(path.field)
            guard !path.inner.contains(where: { $0.hasPrefix("__") }) else {
                throw ServiceError(
                    .invalidInnerKey,
                    "Invalid key '\(name.prefix(64))': names that begin with '__' are reserved."
                )
            }
            guard allowsPaths || !path.isNested else { throw ObjectChange.nestedRefusal(name) }
            for operation in try Operation.list(value, field: name) { operations.append((path, operation)) }
        }
    }

    /// The maximum number of fields of a body: more than any class has.
    private static let maxFields = 10_000

    /// Whether the change creates an object with an id that it gives, as only the master key is allowed to.
    var isImport: Bool { systemFields["objectId"] != nil }

    /// Whether the change stores values as another server had them: an import, or an update that gives the time of the
    /// last change, as only the master key is allowed to.
    var isFromOtherServer: Bool { isImport || systemFields["updatedAt"] != nil }

    /// Whether the change sets nothing, apart from its ``SystemFields``.
    var isEmpty: Bool { operations.isEmpty && acl == nil && passwordHash == nil && sessionToken == nil }

    /// Whether the values together are not much larger than the largest object; others would delay other changes.
    ///
    /// - Parameter limit: The maximum size of the object in bytes.
    /// - Returns: Whether they have at most four times as many bytes, and 64 KB.
    func fits(_ limit: Int) -> Bool {
        var rest = limit * 4 + (64 << 10)
        return operations.allSatisfy { $0.operation.values.allSatisfy { $0.fits(in: &rest) } }
    }

    /// Removes and returns the members that name an id or times.
    mutating func takeSystemFields() -> [String: JSONValue] {
        defer { systemFields = [:] }
        return systemFields
    }

    /// Sets one field; for pointers to children of a batch.
    mutating func set(_ field: String, to value: JSONValue) {
        operations.append((FieldPath(field: field), .set(value)))
    }

    /// Replaces all operations on a user's `authData`.
    ///
    /// - Throws: ``ServiceError/Code/invalidKey`` for a platform whose name no path can have.
    mutating func replaceAuthData(by changes: [AuthData.Change]) throws {
        _ = remove(AuthData.field)
        for change in changes {
            switch change {
            case .removeAll: operations.append((FieldPath(field: AuthData.field), .delete))
            case .remove(let platform): operations.append((try FieldPath("\(AuthData.field).\(platform)"), .delete))
            case .set(let platform, let data):
                operations.append((try FieldPath("\(AuthData.field).\(platform)"), .set(data)))
            }
        }
    }

    /// Removes and returns the operations on a field and on paths inside it.
    mutating func remove(_ field: String) -> [(path: FieldPath, operation: Operation)] {
        let removed = operations.filter { $0.path.field == field }
        operations.removeAll { $0.path.field == field }
        return removed
    }

    /// The value that the change sets a field to; `nil` for other operations and for other fields.
    func value(of field: String) -> JSONValue? {
        guard case .set(let value)? = operations.last(where: { $0.path == FieldPath(field: field) })?.operation else {
            return nil
        }
        return value
    }

    /// The fields that the change sets, with their values.
    var values: [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for field in fields { values[field] = value(of: field) }
        return values
    }

    /// The fields that the change writes, once each.
    package var fields: Set<String> {
        Set(operations.map(\.path.field))
    }

    /// The members that stand for the method and the headers of a request in the body of a tunnel (protocol/data 1.4).
    ///
    /// Old JavaScript SDKs sent some of them in other bodies too.
    package static let tunnelFields: Set<String> = [
        "_method", "_ApplicationId", "_ApplicationKey", "_MasterKey", "_SessionToken", "_ApplicationProduction",
        "_ClientVersion", "_InstallationId",
    ]

    /// Members of bodies that control the request and are never stored (protocol/data 3.1, 2.2).
    private static let controlFields = tunnelFields.union(["__ignore_hooks", "__internalId", "__children"])

    private static func nestedRefusal(_ name: String) -> ServiceError {
        ServiceError(
            .invalidKey,
            "Invalid key name. A new object's fields have no dots. The column is: '\(name.prefix(64))'."
        )
    }
}
