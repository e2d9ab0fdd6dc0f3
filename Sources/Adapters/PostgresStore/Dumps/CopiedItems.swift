internal import Domain

/// The items of one class in the order of a dump, which a connection reads by `COPY`, one after the other.
///
/// The connection runs no other statement until the last item is read.
struct CopiedItems {
    private enum Part {
        case rows, memberships, counters
    }

    private let connection: PostgresConnection
    private let name: ClassName
    private let number: Int64
    private var rows = BinaryRowReader()
    /// The part that comes next; `nil` after the last one.
    private var upcoming: Part? = .rows
    private var part: Part?
    /// The items of the last message, in the opposite order.
    private var arrived: [DumpItem] = []

    /// Creates a reader; the first call of ``next()`` begins.
    ///
    /// - Parameters:
    ///   - name: The class.
    ///   - number: The number of its table.
    ///   - connection: Reads the items.
    init(of name: ClassName, _ number: Int64, _ connection: PostgresConnection) {
        self.name = name
        self.number = number
        self.connection = connection
    }

    /// The next item; `nil` after the last.
    mutating func next() throws -> DumpItem? {
        while arrived.isEmpty {
            if let part {
                try read(part)
            } else {
                guard let upcoming else { return nil }
                try begin(upcoming)
            }
        }
        return arrived.removeLast()
    }

    private mutating func read(_ part: Part) throws {
        let (name, connection) = (name, connection)
        var items: [DumpItem] = []
        let isMessage = try connection.nextCopied { message in
            try rows.read(message) { items.append(try CopiedItems.item(&$0, part, of: name)) }
        }
        arrived = items.reversed()
        if !isMessage { self.part = nil }
    }

    private mutating func begin(_ part: Part) throws {
        let query: String
        switch part {
        case .rows:
            let columns = "number, id, created_at, updated_at, acl, body"
            query = "SELECT \(columns) FROM \(ClassTable(number).name) ORDER BY number"
            upcoming = .memberships
        case .memberships:
            query = "SELECT key, owner, member FROM relation WHERE class = \(number) ORDER BY key, owner, member"
            upcoming = .counters
        case .counters:
            query = "SELECT field, last FROM counter WHERE class = \(number) ORDER BY field"
            upcoming = nil
        }
        rows = BinaryRowReader()
        try connection.beginCopyOut("COPY (\(query)) TO STDOUT WITH (FORMAT binary)")
        self.part = part
    }

    private static func item(_ row: inout BinaryRow, _ part: Part, of name: ClassName) throws -> DumpItem {
        switch part {
        case .rows: return try object(&row, of: name)
        case .memberships:
            let field = try row.string()
            guard let owner = ObjectID(try row.string()), let member = ObjectID(try row.string()) else {
                throw OpenFailure(message: "has an invalid id in the relation \(field) of \(name)", isDamage: true)
            }
            return .membership(field: field, Membership(owner: owner, member: member))
        case .counters: return .counter(field: try row.string(), last: try row.number())
        }
    }

    private static func object(_ row: inout BinaryRow, of name: ClassName) throws -> DumpItem {
        let number = try row.number()
        let id = try row.string()
        guard let objectID = ObjectID(id) else {
            throw OpenFailure(
                damaged: DamagedRow(className: "\(name)", number: number, id: id, damage: "has no valid id")
            )
        }
        let object = ObjectRow(
            id: objectID,
            createdAt: Timestamp(milliseconds: try row.number()),
            updatedAt: Timestamp(milliseconds: try row.number()),
            acl: try row.text(),
            body: try row.text() ?? []
        )
        return .row(number: number, object)
    }
}
