internal import Domain

/// The rows of a reply, chosen one after the other until one does not fit.
struct RowSelection {
    private(set) var rows: [ObjectRow] = []
    private var remaining: Int
    private let startsWithAny: Bool
    private let limit: Int

    /// - Parameters:
    ///   - size: The maximum size of the rows together, in bytes.
    ///   - startsWithAny: Whether the first row is taken regardless of its size.
    ///   - limit: The maximum number of rows.
    init(size: Int, startsWithAny: Bool, limit: Int) {
        remaining = size
        self.startsWithAny = startsWithAny
        self.limit = limit
    }

    /// Adds a row if it fits; returns whether further ones can fit.
    mutating func add(_ row: ObjectRow) -> Bool {
        remaining -= row.size
        guard remaining >= 0 || startsWithAny && rows.isEmpty else { return false }
        rows.append(row)
        return rows.count < limit
    }
}
