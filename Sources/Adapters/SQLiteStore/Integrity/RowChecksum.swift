internal import CZlib
internal import Domain
package import GRDB
internal import GRDBSQLite

/// The checksum of a row of a class's table: the CRC-32 of its values.
///
/// The values are `id`, `created_at`, `updated_at`, `acl` and `body`, in this order. The checksum is of their types in
/// SQLite's numbers (a byte each), the integers (8 bytes each, big end first), the lengths of the texts (4 bytes each,
/// big end first), and the texts. So it also notices a text that became a BLOB, and a byte that moved from one text to
/// the next. It is stored as a signed number, which takes at most four bytes.
///
/// A CRC-32 finds each change of up to 32 neighbouring bits. It does not find an intentional change,
/// because anyone can compute it.
package enum RowChecksum {
    /// The name of the column of the checksum.
    ///
    /// It is NULL in a row of an earlier version until ``ChecksumBacklog`` reaches it.
    static let column = "checksum"
    /// The columns with values that the checksum is of, in the order of the arguments of the SQL function.
    static let columns = ["id", "created_at", "updated_at", "acl", "body"]
    /// `lcfile_checksum(…)` of the columns of a row as it is.
    static let ofRow = call(with: columns)

    /// Whether a row matches its checksum, or has none yet.
    static let isIntact = "(\(column) IS NULL OR \(column) = \(ofRow))"

    /// The error of a row that does not match.
    static func damage(of id: String, in name: ClassName) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_CORRUPT,
            message: "the row \(id) of \(name) does not match its checksum"
        )
    }

    /// The expression of the checksum of five expressions, in the order of ``columns``.
    static func call(with terms: [String]) -> String {
        "\(function)(\(terms.joined(separator: ", ")))"
    }

    /// The statement that changes the bodies of all rows of a table, with their checksums; a damaged row stays damaged.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - body: The expression of the new body; its arguments are numbered, because it is in the statement twice.
    /// - Returns: The statement, to which a condition can be appended.
    static func update(_ table: String, settingBody body: String) -> String {
        let checksum = call(with: ["id", "created_at", "updated_at", "acl", body])
        return "UPDATE \(table) SET body = \(body), checksum = CASE WHEN \(isIntact) THEN \(checksum) ELSE checksum END"
    }

    private static let function = "lcfile_checksum"

    /// Adds the function `lcfile_checksum(id, created_at, updated_at, acl, body)` to a connection.
    ///
    /// The statement that writes a row calls it, so that the checksum is of the bytes that SQLite stores. It takes the
    /// bytes of SQLite as they are, because every change of an object calls it.
    ///
    /// - Throws: An error if SQLite does not take it.
    package static func add(to db: Database) throws {
        let code = sqlite3_create_function_v2(
            db.sqliteConnection,
            function,
            CInt(columns.count),
            SQLITE_UTF8 | SQLITE_DETERMINISTIC,
            nil,
            { context, _, values in
                guard let context, let values else { return }
                let checksum = RowChecksum.of(
                    RowValue(values[0]),
                    RowValue(values[1]),
                    RowValue(values[2]),
                    RowValue(values[3]),
                    RowValue(values[4])
                )
                sqlite3_result_int(context, checksum)
            },
            nil,
            nil,
            nil
        )
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Computes the checksum of a row's values.
    static func of(
        _ id: RowValue,
        _ createdAt: RowValue,
        _ updatedAt: RowValue,
        _ acl: RowValue,
        _ body: RowValue
    ) -> Int32 {
        // Two integers of 8 bytes, three lengths of 4, five types.
        withUnsafeTemporaryAllocation(byteCount: 33, alignment: 8) { head in
            head.storeBytes(of: createdAt.integer.bigEndian, as: Int64.self)
            head.storeBytes(of: updatedAt.integer.bigEndian, toByteOffset: 8, as: Int64.self)
            head.storeBytes(of: id.length.bigEndian, toByteOffset: 16, as: UInt32.self)
            head.storeBytes(of: acl.length.bigEndian, toByteOffset: 20, as: UInt32.self)
            head.storeBytes(of: body.length.bigEndian, toByteOffset: 24, as: UInt32.self)
            head[28] = id.kind
            head[29] = createdAt.kind
            head[30] = updatedAt.kind
            head[31] = acl.kind
            head[32] = body.kind
            var checksum = crc(0, UnsafeRawBufferPointer(head))
            checksum = crc(checksum, id.bytes)
            checksum = crc(checksum, acl.bytes)
            checksum = crc(checksum, body.bytes)
            return Int32(truncatingIfNeeded: checksum)
        }
    }

    private static func crc(_ checksum: uLong, _ bytes: UnsafeRawBufferPointer) -> uLong {
        // Without an address zlib returns the beginning of a checksum instead.
        guard let start = bytes.baseAddress else { return checksum }
        return crc32_z(checksum, start.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
}

/// A value in SQLite's memory, valid until the statement goes on.
struct RowValue {
    /// SQLite's number of the type.
    let type: CInt
    /// The number; 0 for values of other types.
    let integer: Int64
    /// The bytes of a text or a BLOB; empty for values of other types.
    let bytes: UnsafeRawBufferPointer

    /// Reads an argument of a function.
    init(_ value: OpaquePointer?) {
        type = sqlite3_value_type(value)
        integer = type == SQLITE_INTEGER ? sqlite3_value_int64(value) : 0
        // Asked as a BLOB, a text is not copied to get a zero at its end.
        let start = type == SQLITE_TEXT || type == SQLITE_BLOB ? sqlite3_value_blob(value) : nil
        bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    /// Reads a column of the current row; never needs memory of SQLite's.
    init(_ statement: SQLiteStatement, _ column: CInt) {
        type = sqlite3_column_type(statement, column)
        integer = type == SQLITE_INTEGER ? sqlite3_column_int64(statement, column) : 0
        let start = type == SQLITE_TEXT || type == SQLITE_BLOB ? sqlite3_column_blob(statement, column) : nil
        let count = start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
        bytes = UnsafeRawBufferPointer(start: start, count: count)
    }

    fileprivate var kind: UInt8 { UInt8(truncatingIfNeeded: type) }
    fileprivate var length: UInt32 { UInt32(truncatingIfNeeded: bytes.count) }

    var isNull: Bool { type == SQLITE_NULL }
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
