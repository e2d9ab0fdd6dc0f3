internal import Domain

/// A change as the table `change_log` stores it for other servers.
struct LoggedChange {
    let className: ClassName
    let id: ObjectID
    let kind: Change.Kind
    let before: ObjectRow?
    let after: ObjectRow?

    /// The size of the states of several changes in one row, unless one change alone has more.
    static let maxSize = 4 << 20

    /// The size of its states, and about that of the rest, in bytes.
    var size: Int { (before?.size ?? 0) + (after?.size ?? 0) + 100 }

    /// Whether it has a state.
    var hasStates: Bool { before != nil || after != nil }

    /// The change without its states.
    var withoutStates: LoggedChange { LoggedChange(className: className, id: id, kind: kind) }

    /// The changes of one row as JSON.
    static func encoded(_ changes: some Collection<LoggedChange>) -> [UInt8] {
        JSONValue.array(changes.map(\.json)).encoded()
    }

    private var json: JSONValue {
        .object([
            "class": .string(className.description), "id": .string(id.description), "kind": .string(kind.word),
            "before": before.map(LoggedChange.json) ?? .null, "after": after.map(LoggedChange.json) ?? .null,
        ])
    }

    private static func json(_ row: ObjectRow) -> JSONValue {
        .array([
            .integer(row.createdAt.milliseconds), .integer(row.updatedAt.milliseconds),
            row.acl.map { .string(String(decoding: $0, as: UTF8.self)) } ?? .null,
            .string(String(decoding: row.body, as: UTF8.self)),
        ])
    }

    /// Parses the changes of one row; throws for invalid text, which only another program can have written.
    static func list(_ text: [UInt8]) throws -> [LoggedChange] {
        let json = try JSONValue(parsing: text, field: "changes", depth: JSONValue.deepestStored)
        return try (json.arrayValue ?? []).map { try LoggedChange($0.objectValue ?? [:]) }
    }

    private init(_ members: [String: JSONValue]) throws {
        guard let name = members["class"]?.stringValue, let id = members["id"]?.stringValue.flatMap(ObjectID.init),
            let kind = Change.Kind.allCases.first(where: { $0.word == members["kind"]?.stringValue })
        else { throw BrokenChange() }
        self.init(
            className: try ClassName(name),
            id: id,
            kind: kind,
            before: LoggedChange.row(id, members["before"]),
            after: LoggedChange.row(id, members["after"])
        )
    }

    init(className: ClassName, id: ObjectID, kind: Change.Kind, before: ObjectRow? = nil, after: ObjectRow? = nil) {
        self.className = className
        self.id = id
        self.kind = kind
        self.before = before
        self.after = after
    }

    private static func row(_ id: ObjectID, _ json: JSONValue?) -> ObjectRow? {
        guard let parts = json?.arrayValue, parts.count == 4, let created = parts[0].integerValue,
            let updated = parts[1].integerValue, let body = parts[3].stringValue
        else { return nil }
        return ObjectRow(
            id: id,
            createdAt: Timestamp(milliseconds: created),
            updatedAt: Timestamp(milliseconds: updated),
            acl: parts[2].stringValue.map { Array($0.utf8) },
            body: Array(body.utf8)
        )
    }
}

extension Change.Kind {
    fileprivate var word: String {
        switch self {
        case .created: "created"
        case .updated: "updated"
        case .deleted: "deleted"
        }
    }
}

private struct BrokenChange: Error {}
