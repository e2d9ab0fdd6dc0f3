/// What an operator can do about damaged rows of a database that no server uses.
package protocol RowRepair: RowInspection {
    /// Accepts rows as they are: from now on their checksums are those of their present bytes.
    ///
    /// Their entries in indexes are made anew. Of each class all rows are accepted, or none.
    ///
    /// - Parameter rows: Rows that ``RowInspection/inspectRows(after:limit:)`` returned. Those that are gone or intact
    ///   are passed over.
    /// - Throws: ``UnacceptableRow`` if a row's id or fields do not have the form that a server writes, or if another row of
    ///   the class is no JSON, and an error if the database cannot be changed.
    func accept(_ rows: [DamagedRow]) async throws

    /// Removes rows with their entries in indexes and their relations.
    ///
    /// The app's usage no longer counts the files of removed file records. Of each class all rows are removed, or
    /// none.
    ///
    /// - Parameter rows: Rows that ``RowInspection/inspectRows(after:limit:)`` returned. Those that are gone or intact
    ///   are passed over.
    /// - Throws: ``UnacceptableRow`` if a row that is not among them is no JSON, and an error if the database cannot be
    ///   changed.
    func remove(_ rows: [DamagedRow]) async throws
}

/// A damaged row cannot be changed: it cannot be accepted, because it holds no object, or another row stands in the way.
package struct UnacceptableRow: Error, Equatable, CustomStringConvertible {
    /// The row.
    package let row: DamagedRow
    /// Why; continues "the row …".
    package let reason: String

    /// Creates an error with a reason.
    package init(row: DamagedRow, reason: String) {
        self.row = row
        self.reason = reason
    }

    /// The class, the row and the reason.
    package var description: String { "the row \(row.number) of \(row.className) \(reason)" }
}
