/// Formats rows of cells as aligned columns.
enum Table {
    /// One line for each row, with two spaces between columns, each as wide as its widest cell; no line ends in spaces.
    static func lines(_ rows: [[String]]) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.filter { column < $0.count }.map { Columns.count($0[column]) }.max() ?? 0
        }
        return rows.map { row in
            var cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - Columns.count(cell))
            }
            if let last = row.last { cells[row.count - 1] = last }
            return cells.joined(separator: "  ")
        }
    }
}
