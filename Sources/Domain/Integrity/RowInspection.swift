/// The checksums of an app's rows, compared a page at a time.
///
/// An adapter implements it on the database of a running server and on one that no server uses.
package protocol RowInspection: Sendable {
    /// Compares the next rows with their checksums.
    ///
    /// - Parameters:
    ///   - position: Where the previous page ended; `nil` for the first page.
    ///   - limit: The most rows that are read, 1 to 10 000.
    /// - Returns: What was found; its ``InspectedRows/next`` is `nil` after the last row.
    /// - Throws: An error if the database cannot be read at all.
    func inspectRows(after position: RowPosition?, limit: Int) async throws -> InspectedRows
}

/// A place between two rows of an app's database, in the order of classes' numbers and of rows' numbers.
package struct RowPosition: Sendable, Equatable, Codable {
    /// The number of the class.
    package let classNumber: Int64
    /// The number of the row that was read last, 0 before the first one.
    package let rowNumber: Int64

    /// Creates a position behind a row.
    package init(classNumber: Int64, rowNumber: Int64) {
        self.classNumber = classNumber
        self.rowNumber = rowNumber
    }
}

/// A page of an inspection.
package struct InspectedRows: Sendable, Equatable {
    /// The number of rows that were read.
    package let count: Int
    /// The rows that are not what was written.
    package let damaged: [DamagedRow]
    /// Where the next page begins; `nil` if this was the last one.
    package let next: RowPosition?

    /// Creates a page.
    package init(count: Int, damaged: [DamagedRow], next: RowPosition?) {
        self.count = count
        self.damaged = damaged
        self.next = next
    }
}
