internal import Domain

/// Sends the items of a dump by `COPY`, into one table after the other.
///
/// Between two items of a table the connection runs no other statement (``end()``).
struct TableCopy {
    /// A table, with the columns that one of the named kind has.
    enum Table: Equatable {
        case objects(String)
        case relation(String)
        case counter

        fileprivate var statement: String {
            let target =
                switch self {
                case .objects(let name):
                    "\(name) (number, id, created_at, updated_at, acl, readers, body, keys)"
                case .relation(let name): "\(name) (class, key, owner, member)"
                case .counter: "counter (class, field, last)"
                }
            return "COPY \(target) FROM STDIN WITH (FORMAT binary)"
        }
    }

    private let connection: PostgresConnection
    /// The table of the running `COPY`.
    private var table: Table?
    private var rows = BinaryRows()

    /// The number of bytes that are sent together.
    private static let partSize = 1 << 16

    init(_ connection: PostgresConnection) {
        self.connection = connection
    }

    /// Adds an object with what its table derives from it.
    ///
    /// - Throws: ``OpenFailure`` about a row whose ACL or body is no object.
    mutating func add(_ row: ObjectRow, _ number: Int64, of name: ClassName, to table: String) throws {
        guard let object = try? row.object() else {
            throw OpenFailure(
                message: "cannot take the row \(number) (\(name)/\(row.id)), whose ACL or body is no object"
            )
        }
        try begin(.objects(table))
        rows.beginRow(8)
        rows.add(number: number)
        rows.add(text: row.id.description)
        rows.add(number: row.createdAt.milliseconds)
        rows.add(number: row.updatedAt.milliseconds)
        rows.add(text: row.acl)
        rows.add(list: object.readers)
        rows.add(text: row.body)
        rows.add(json: ObjectKeys.encoded(object.fields))
        try send(atLeast: TableCopy.partSize)
    }

    /// Adds a row with a number and no other value.
    mutating func add(emptyRow number: Int64, to table: String) throws {
        try begin(.objects(table))
        rows.beginRow(8)
        rows.add(number: number)
        for _ in 0..<7 { rows.add(text: nil as [UInt8]?) }
        try send(atLeast: TableCopy.partSize)
    }

    /// Adds a membership.
    mutating func add(_ membership: Membership, of field: String, class number: Int64?, to table: String) throws {
        try begin(.relation(table))
        rows.beginRow(4)
        if let number { rows.add(number: number) } else { rows.add(text: nil as [UInt8]?) }
        rows.add(text: field)
        rows.add(text: membership.owner.description)
        rows.add(text: membership.member.description)
        try send(atLeast: TableCopy.partSize)
    }

    /// Adds the last number of a field with auto-increment.
    mutating func add(counter field: String, _ last: Int64, class number: Int64) throws {
        try begin(.counter)
        rows.beginRow(3)
        rows.add(number: number)
        rows.add(text: field)
        rows.add(number: last)
        try send(atLeast: TableCopy.partSize)
    }

    /// Ends the running `COPY`, if there is one.
    mutating func end() throws {
        guard table != nil else { return }
        table = nil
        rows.addEnd()
        try send(atLeast: 0)
        try connection.endCopy()
    }

    private mutating func begin(_ table: Table) throws {
        guard self.table != table else { return }
        try end()
        try connection.beginCopy(table.statement)
        self.table = table
        rows.addHeader()
    }

    private mutating func send(atLeast size: Int) throws {
        guard rows.bytes.count >= size else { return }
        try connection.sendCopy(rows.bytes)
        rows.removeAll()
    }
}
