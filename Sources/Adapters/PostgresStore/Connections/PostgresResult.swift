internal import CPostgres

/// The rows of a statement; used on the thread that ran it.
final class PostgresResult {
    private let pointer: OpaquePointer

    /// Takes over a result of libpq.
    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        PQclear(pointer)
    }

    /// The number of rows.
    var count: Int { Int(PQntuples(pointer)) }

    /// The number of rows that a change affected.
    var changedCount: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

    /// Whether a value is NULL.
    func isNull(_ row: Int, _ column: Int) -> Bool {
        PQgetisnull(pointer, CInt(row), CInt(column)) == 1
    }

    /// The bytes of a value; `nil` for NULL.
    func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
        guard !isNull(row, column), let start = PQgetvalue(pointer, CInt(row), CInt(column)) else { return nil }
        let count = Int(PQgetlength(pointer, CInt(row), CInt(column)))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The size of the values of a row in bytes.
    func size(_ row: Int) -> Int {
        (0..<PQnfields(pointer)).reduce(0) { $0 + Int(PQgetlength(pointer, CInt(row), $1)) }
    }

    /// A value as text; `nil` for NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A value as a whole number; `nil` for NULL.
    func integer(_ row: Int, _ column: Int) -> Int64? {
        text(row, column).flatMap { Int64($0) }
    }

    /// A value as a boolean; `false` for NULL.
    func boolean(_ row: Int, _ column: Int) -> Bool {
        text(row, column) == "t"
    }
}
