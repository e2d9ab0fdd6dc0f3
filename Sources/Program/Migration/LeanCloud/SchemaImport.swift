internal import FileClient

/// A part of what an export says about classes: a field, its rules, an index, a permission.
struct ClassRule: MigrationItem {
    /// What the server is told.
    enum Change: Sendable, Hashable {
        case field(String, ClassField)
        case index([String])
        case permission(String, [String])
        case defaultACL(JSON)
    }

    let className: String
    let change: Change

    var name: String {
        switch change {
        case .field(let field, _): "\(className).\(field)"
        case .index(let fields): "\(className): \(fields.joined(separator: ","))"
        case .permission(let operation, _): "\(className): \(operation)"
        case .defaultACL: "\(className): default ACL"
        }
    }

    var size: Int64? { 0 }
    var objectId: String? { "" }
    var fingerprint: String { "\(change)" }
}

/// The fields, indexes and permissions of an export, as the server takes them.
struct ClassRules {
    let export: Export
    /// Which classes are imported.
    let isChosen: (String) -> Bool

    /// The fields with their types and defaults, which come before all objects.
    var fields: [ClassRule] {
        described { attributes in
            var field = ClassField()
            field.type = attributes["type"]?.string
            field.className = attributes["className"]?.string
            if let value = attributes["default"], value != .null { field.defaultValue = value }
            field.isAutoIncrement = ClassRules.flag(attributes, "autoIncrement", "auto_increment")
            return field.type == nil ? nil : field
        }
    }

    /// The rules of fields, which come after all objects: old objects do not always obey them.
    var fieldRules: [ClassRule] {
        described { attributes in
            var field = ClassField()
            field.isRequired = ClassRules.flag(attributes, "required")
            field.isUnique = ClassRules.flag(attributes, "unique")
            field.isReadOnly = ClassRules.flag(attributes, "readOnly", "read_only", "read-only")
            field.isHidden = ClassRules.flag(attributes, "hidden")
            return field == ClassField() ? nil : field
        }
    }

    var indexes: [ClassRule] {
        export.indexes.sorted { $0.key < $1.key }.filter { isChosen($0.key) }.flatMap { name, list in
            (list.elements ?? []).compactMap { index in
                guard index["unique"] != .bool(true) else { return nil }
                return ClassRule(
                    className: name,
                    change: .index((index["fields"]?.elements ?? []).compactMap(\.string))
                )
            }
        }
    }

    var permissions: [ClassRule] {
        export.permissions.sorted { $0.key < $1.key }.filter { isChosen($0.key) }.flatMap { name, rules in
            (rules.members ?? [:]).sorted { $0.key < $1.key }.map { operation, value in
                guard operation != "defaultACL" else { return ClassRule(className: name, change: .defaultACL(value)) }
                let audience = (value.elements ?? []).compactMap(\.string)
                return ClassRule(className: name, change: .permission(operation, audience))
            }
        }
    }

    /// The class to which a relation leads; `nil` if the export does not say it.
    func target(of field: String, _ className: String) -> String? {
        let known = ["_Role.users": "_User", "_Role.roles": "_Role"]
        return export.schemas[className]?[field]?["className"]?.string ?? known["\(className).\(field)"]
    }

    private func described(_ field: ([String: JSON]) -> ClassField?) -> [ClassRule] {
        export.schemas.sorted { $0.key < $1.key }.filter { isChosen($0.key) }.flatMap { className, fields in
            fields.sorted { $0.key < $1.key }.compactMap { name, attributes in
                guard !ClassRules.isBuiltIn(className, name), let change = field(attributes.members ?? [:]) else {
                    return nil
                }
                return ClassRule(className: className, change: .field(name, change))
            }
        }
    }

    /// Whether the server makes a field itself.
    ///
    /// Of built-in classes only users and roles can get fields by their schema;
    /// those of others come with the objects.
    private static func isBuiltIn(_ className: String, _ field: String) -> Bool {
        let always: Set = ["objectId", "createdAt", "updatedAt", "ACL"]
        guard !always.contains(field), !field.hasPrefix("_") else { return true }
        switch className {
        case "_User":
            return [
                "username", "password", "salt", "bcryptPassword", "email", "emailVerified", "mobilePhoneNumber",
                "mobilePhoneVerified", "authData", "sessionToken",
            ].contains(field)
        case "_Role": return ["name", "users", "roles"].contains(field)
        default: return className.hasPrefix("_")
        }
    }

    private static func flag(_ attributes: [String: JSON], _ names: String...) -> Bool? {
        names.contains { attributes[$0] == .bool(true) } ? true : nil
    }
}

/// Tells the server about classes.
struct SchemaImport: Sendable {
    let client: FileClient

    /// Sends one rule.
    func send(_ batch: [PlannedItem<ClassRule>], _ progress: BatchProgress) async -> [ItemEnd] {
        var ends: [ItemEnd] = []
        for planned in batch { ends.append(await ItemEnd.of { try await apply(planned.item) }) }
        return ends
    }

    private func apply(_ rule: ClassRule) async throws {
        let name = rule.className
        switch rule.change {
        case .field(let field, var change):
            if let type = change.type, let known = try await fields(of: name)[field] {
                let target = known.className == change.className || change.className == nil
                guard known.type == type && target else {
                    throw MigrationError("the server's field has the type \(known.type ?? "?"), the export's \(type)")
                }
                // The server refuses the type of a field that exists.
                change.type = nil
                change.className = nil
                guard change != ClassField() else { return }
            }
            _ = try await client.setField(field, of: name, to: change)
        case .index(let fields): _ = try await client.addIndex(on: fields, of: name)
        case .permission(let operation, let audience):
            _ = try await client.setPermission(operation, of: name, to: audience)
        case .defaultACL(let acl): _ = try await client.setDefaultACL(acl, of: name)
        }
    }

    private func fields(of className: String) async throws -> [String: ClassField] {
        do {
            return try await client.fields(of: className)
        } catch let error as FileClientError where error.status == 404 {
            return [:]
        }
    }
}
