/// Sets the permissions of classes, which ``SchemaService`` shows, and tells which roles contain others; only for the
/// master key (docs/permissions.md).
package struct PermissionService: Sendable {
    private let store: any ObjectStore
    private let limits: ObjectLimits

    /// Creates the service for an app's store.
    package init(store: any ObjectStore, limits: ObjectLimits) {
        self.store = store
        self.limits = limits
    }

    /// Changes the permissions of a class, which is created if it does not exist; they apply from the next request.
    ///
    /// - Parameters:
    ///   - name: The class.
    ///   - change: The permissions to set.
    ///   - caller: The caller.
    /// - Returns: The changed class.
    /// - Throws: ``ServiceError/Code/badRequest`` for classes whose permissions are fixed.
    package func change(
        of name: ClassName,
        by change: PermissionChange,
        as caller: Caller
    ) async throws -> ClassSchema {
        try caller.requireMasterKey()
        guard !name.isReserved || [.file, .user, .role].contains(name) else {
            throw ServiceError(.badRequest, "The permissions of '\(name)' are fixed.")
        }
        return try await store.write { [limits] writer in
            let known = try writer.schema(of: name)
            // A misspelt name must not create a class.
            guard known != nil || name.isCreatableByClients else { throw ObjectWriteRules.unknownClass(name) }
            var schema = try known ?? writer.newClass(name, within: limits, for: caller)
            for (operation, audience) in change.audiences { schema.permissions[operation] = audience }
            if let acl = change.defaultACL { schema.defaultACL = acl.storable }
            try writer.save(schema)
            return schema
        }
    }

    /// The roles that contain other roles, with the contained ones, in the order of ids.
    ///
    /// - Parameters:
    ///   - last: The membership after which the result begins; `nil` for the first ones.
    ///   - limit: The maximum number of memberships.
    ///   - caller: The caller.
    /// - Returns: The memberships of roles in the relation `roles`.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``.
    package func nestedRoles(after last: Membership?, limit: Int, as caller: Caller) async throws -> [Membership] {
        try caller.requireMasterKey()
        return try await store.read { try $0.memberships("roles", of: .role, after: last, limit: limit) }
    }
}

/// The requested change of a class's permissions.
package struct PermissionChange: Sendable {
    /// The operations to set, with the callers that are allowed to perform them.
    package private(set) var audiences: [ClassOperation: Set<Audience>] = [:]
    /// The ACL of new objects that are created without one; `nil` leaves it unchanged.
    package private(set) var defaultACL: AccessControlList?

    /// The maximum number of entries for one operation.
    private static let maxEntries = 1000

    /// Parses `{"find":["users"],"delete":[],"defaultACL":{"owner":{"write":true}}}`.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` naming the unknown member, ``ServiceError/Code/invalidACL``.
    package init(_ json: JSONValue) throws {
        guard let members = json.objectValue else {
            throw ServiceError(.badRequest, "The body must be an object of operations and lists of entries.")
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if name == "defaultACL" {
                defaultACL = try AccessControlList(value) ?? .everyone
                continue
            }
            guard let operation = ClassOperation(rawValue: name) else {
                let known = ClassOperation.allCases.map(\.rawValue).joined(separator: ", ")
                throw ServiceError(
                    .badRequest,
                    "'\(name.prefix(64))' is not an operation; allowed: \(known), defaultACL."
                )
            }
            guard let entries = value.arrayValue, entries.count <= PermissionChange.maxEntries,
                entries.allSatisfy({ $0.stringValue != nil })
            else {
                throw ServiceError(
                    .badRequest,
                    "\(name) must be an array of up to \(PermissionChange.maxEntries) entries such as 'users'."
                )
            }
            audiences[operation] = Set(try entries.compactMap(\.stringValue).map { try Audience($0) })
        }
    }
}
