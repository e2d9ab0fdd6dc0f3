internal import Domain
internal import GRDB
internal import GRDBSQLite
internal import Glibc

/// `lcfile_readable(number, acl)`: whether the subjects with this number can read an object with this ACL.
///
/// A query calls it for each row. So it takes the bytes of SQLite as they are, without GRDB's values, and looks up the
/// subjects once in a statement: SQLite keeps them beside the constant first argument until the statement ends
/// (sqlite3_set_auxdata).
enum ReadableFunction {
    /// Adds the function to a connection.
    static func add(to db: Database, _ functions: QueryFunctions) throws {
        let code = sqlite3_create_function_v2(
            db.sqliteConnection,
            "lcfile_readable",
            2,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC,
            Unmanaged.passRetained(functions).toOpaque(),
            { context, _, values in
                guard let context, let values else { return }
                let canRead = ReadableFunction.canRead(values[1], by: values[0], context)
                sqlite3_result_int(context, canRead ? 1 : 0)
            },
            nil,
            nil,
            // Called by SQLite with the connection's end, and if it does not add the function.
            { functions in functions.map { Unmanaged<QueryFunctions>.fromOpaque($0).release() } }
        )
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    private static func canRead(_ acl: OpaquePointer?, by number: OpaquePointer?, _ context: OpaquePointer) -> Bool {
        guard sqlite3_value_type(acl) != SQLITE_NULL else { return true }
        // The text first: the length is that of the text.
        guard let start = sqlite3_value_text(acl) else { return false }
        let text = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(acl)))
        // Most ACLs grant everyone read access and, in canonical text, begin with that entry.
        let prefix = everyonePrefix
        if text.count >= prefix.utf8CodeUnitCount, memcmp(start, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0 {
            return true
        }
        if let known = sqlite3_get_auxdata(context, 0) {
            return Unmanaged<ReadableLists>.fromOpaque(known)._withUnsafeGuaranteedRef { $0.canRead(text) }
        }
        guard let functions = sqlite3_user_data(context),
            let subjects = Unmanaged<QueryFunctions>.fromOpaque(functions).takeUnretainedValue()
                .subjects(sqlite3_value_int64(number))
        else { return false }
        let lists = ReadableLists(for: subjects)
        let canRead = lists.canRead(text)
        // Last, because SQLite can release it at once.
        sqlite3_set_auxdata(context, 0, Unmanaged.passRetained(lists).toOpaque()) { lists in
            lists.map { Unmanaged<ReadableLists>.fromOpaque($0).release() }
        }
        return canRead
    }

    private static let everyonePrefix: StaticString = #"{"*":{"read":true"#
}
