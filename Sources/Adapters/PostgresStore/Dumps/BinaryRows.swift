/// Rows in PostgreSQL's binary format of `COPY` (the documentation of `COPY`, "Binary Format"), as they are sent.
struct BinaryRows {
    /// What was added since the last ``removeAll()``.
    private(set) var bytes: [UInt8] = []

    /// The format begins with a signature, flags, and the length of an extension; both numbers are 0.
    static let header: [UInt8] = Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0] + [UInt8](repeating: 0, count: 8)
    /// The number of columns after the last row.
    static let end: Int16 = -1
    /// The type `text` as the element of an array.
    private static let textType: Int32 = 25

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func addHeader() {
        bytes += BinaryRows.header
    }

    /// Begins a row with a number of columns.
    mutating func beginRow(_ columns: Int16) {
        add(columns)
    }

    mutating func add(number: Int64) {
        add(Int32(8))
        add(number)
    }

    /// Adds a text; `nil` is NULL.
    mutating func add(text: [UInt8]?) {
        guard let text else { return add(Int32(-1)) }
        add(Int32(text.count))
        bytes += text
    }

    mutating func add(text: String) {
        add(text: Array(text.utf8))
    }

    /// Adds JSON for a column of type `jsonb`, whose binary form is its version and the text.
    mutating func add(json: [UInt8]) {
        add(Int32(json.count + 1))
        bytes.append(1)
        bytes += json
    }

    /// Adds an array with one dimension; one without elements has no dimension.
    mutating func add(list: [String]) {
        let size = list.reduce(0) { $0 + 4 + $1.utf8.count }
        add(Int32(list.isEmpty ? 12 : 20 + size))
        add(Int32(list.isEmpty ? 0 : 1))
        add(Int32(0))
        add(BinaryRows.textType)
        guard !list.isEmpty else { return }
        add(Int32(list.count))
        add(Int32(1))
        for element in list { add(text: element) }
    }

    mutating func addEnd() {
        add(BinaryRows.end)
    }

    private mutating func add(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
}

/// Rows in the same format, as they arrive; each message contains whole rows.
struct BinaryRowReader {
    private var hasHeader = false

    /// Passes the rows of a message.
    mutating func read(_ message: UnsafeRawBufferPointer, _ body: (inout BinaryRow) throws -> Void) throws {
        var row = BinaryRow(bytes: message)
        if !hasHeader {
            guard message.starts(with: BinaryRows.header) else { throw BinaryRow.Malformed() }
            row.offset = BinaryRows.header.count
            hasHeader = true
        }
        while row.offset < message.count {
            guard try row.integer(Int16.self) != BinaryRows.end else { return }
            try body(&row)
        }
    }
}

/// The columns of a row, which are read in their order; valid while its message is.
struct BinaryRow {
    /// The bytes do not have the format, which only another protocol than PostgreSQL's can cause.
    struct Malformed: Error {}

    fileprivate let bytes: UnsafeRawBufferPointer
    fileprivate var offset = 0

    fileprivate init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// A column of type `bigint` that is not NULL.
    mutating func number() throws -> Int64 {
        guard try integer(Int32.self) == 8 else { throw Malformed() }
        return try integer(Int64.self)
    }

    /// A column of type `text`; `nil` for NULL.
    mutating func text() throws -> [UInt8]? {
        let count = try Int(integer(Int32.self))
        guard count >= 0 else { return nil }
        guard offset + count <= bytes.count else { throw Malformed() }
        defer { offset += count }
        return Array(UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)]))
    }

    /// A column of type `text` as a string; empty for NULL.
    mutating func string() throws -> String {
        String(decoding: try text() ?? [], as: UTF8.self)
    }

    fileprivate mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        let size = MemoryLayout<Number>.size
        guard offset + size <= bytes.count else { throw Malformed() }
        defer { offset += size }
        return Number(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
}
