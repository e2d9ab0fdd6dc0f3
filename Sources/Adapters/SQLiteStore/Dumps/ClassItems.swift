internal import Domain
internal import GRDB
internal import GRDBSQLite

/// The items of one class in the order of a dump, read one after the other in a transaction.
///
/// Each row is compared with its checksum. The transaction can remove the item that was read last.
struct ClassItems {
    private enum Part {
        case rows, memberships, counters
    }

    private let db: Database
    private let name: ClassName
    private let table: InspectedTable
    private var statement: Statement
    private var rows: RowCursor
    private var part = Part.rows

    /// Begins with the rows.
    ///
    /// - Parameters:
    ///   - name: The class.
    ///   - number: The number of its table.
    ///   - unknown: The highest number of a row that can have no checksum yet.
    ///   - db: The connection, in a transaction.
    /// - Throws: Errors of SQLite.
    init(of name: ClassName, _ number: Int64, unknown: Int64 = 0, _ db: Database) throws {
        self.db = db
        self.name = name
        table = InspectedTable(number: number, name: "\(name)", unknown: unknown)
        let columns = "\(RowChecksum.columns.joined(separator: ", ")), \(RowChecksum.column), number"
        statement = try db.makeStatement(
            sql: "SELECT \(columns) FROM \(ClassTable(number: number).name) ORDER BY number"
        )
        rows = try Row.fetchCursor(statement)
    }

    /// The next item; `nil` after the last.
    mutating func next() throws -> DumpItem? {
        while try rows.next() == nil {
            switch part {
            case .rows: try begin(.memberships, "key, owner, member FROM relation", "key, owner, member")
            case .memberships: try begin(.counters, "field, last FROM counter", "field")
            case .counters: return nil
            }
        }
        return switch part {
        case .rows: try row()
        case .memberships: try membership()
        case .counters: .counter(field: value(0).text, last: value(1).integer)
        }
    }

    private mutating func begin(_ part: Part, _ columns: String, _ order: String) throws {
        statement = try db.makeStatement(sql: "SELECT \(columns) WHERE class = \(table.number) ORDER BY \(order)")
        rows = try Row.fetchCursor(statement)
        self.part = part
    }

    private func row() throws -> DumpItem {
        let number = value(6).integer
        if let row = table.damage(of: statement.sqliteStatement, number: number) { throw OpenFailure(damaged: row) }
        guard let row = try? ObjectRow(reading: statement, of: name) else {
            throw OpenFailure(
                damaged: DamagedRow(className: "\(name)", number: number, id: value(0).text, damage: "has no valid id")
            )
        }
        return .row(number: number, row)
    }

    private func membership() throws -> DumpItem {
        guard let owner = ObjectID(value(1).text), let member = ObjectID(value(2).text) else {
            throw OpenFailure(message: "has an invalid id in the relation \(value(0).text) of \(name)", isDamage: true)
        }
        return .membership(field: value(0).text, Membership(owner: owner, member: member))
    }

    private func value(_ column: Int32) -> RowValue { RowValue(statement.sqliteStatement, column) }
}
