internal import FileClient
internal import Glibc

/// Files of a list, by objectId, key or URL: one on each line, JSON Lines, or CSV.
///
/// A JSON object, or a row of CSV, names a file by its `objectId`, otherwise by `key`, otherwise by `url`; other members
/// do not matter. So a manifest of an import is such a list, and what `lcfile ls --json` prints.
package struct NameList {
    private enum Rows {
        case lines(LineReader)
        case csv(CSVRows, names: [String])
    }

    private static let members = ["objectId", "key", "url"]
    private var rows: Rows
    private let file: ReadFile?

    /// Reads a list from a descriptor, which is not closed.
    package init(descriptor: CInt) {
        rows = .lines(LineReader(descriptor: descriptor, name: "the list"))
        file = nil
    }

    /// Opens a list; a name that ends in `.csv` makes it CSV, whose first line has the names of the columns.
    ///
    /// - Throws: ``MigrationError`` if it cannot be read or has no column that names files.
    package init(path: String) throws {
        let file = try ReadFile(path)
        self.file = file
        guard path.lowercased().hasSuffix(".csv") else {
            rows = .lines(LineReader(descriptor: file.descriptor, name: path))
            return
        }
        var csv = CSVRows(descriptor: file.descriptor, name: path)
        guard case .cells(let names) = try csv.next()?.content, !NameList.members.allSatisfy({ !names.contains($0) })
        else { throw MigrationError("\(path) has no column 'objectId', 'key' or 'url'") }
        rows = .csv(csv, names: names)
    }

    /// The next file; `nil` at the end.
    ///
    /// Empty lines are skipped.
    ///
    /// - Returns: The name; or the line and the reason for which it cannot be used.
    /// - Throws: ``MigrationError`` if the list cannot be read.
    package mutating func next() throws -> Result<String, UnusableLine>? {
        switch rows {
        case .lines(var lines):
            defer { rows = .lines(lines) }
            while let line = try lines.next() {
                guard case .text(let text) = line.content else {
                    return .failure(UnusableLine(line: line.number, reason: line.content.reason))
                }
                if !text.isEmpty { return NameList.name(in: text, line.number) }
            }
            return nil
        case .csv(var csv, let names):
            defer { rows = .csv(csv, names: names) }
            guard let row = try csv.next() else { return nil }
            guard case .cells(let cells) = row.content else {
                return .failure(UnusableLine(line: row.line, reason: "the row is not CSV"))
            }
            let members = Dictionary(zip(names, cells)) { first, _ in first }
            return NameList.name(in: members, row.line)
        }
    }

    private static func name(in text: String, _ line: Int) -> Result<String, UnusableLine> {
        guard text.hasPrefix("{") else { return .success(text) }
        guard case .object(let members) = try? JSON(parsing: text) else {
            return .failure(UnusableLine(line: line, reason: "the line is not JSON"))
        }
        let texts = members.compactMapValues { value in
            if case .string(let text) = value { text } else { nil }
        }
        return name(in: texts, line)
    }

    private static func name(in members: [String: String], _ line: Int) -> Result<String, UnusableLine> {
        for member in NameList.members {
            if let name = members[member], !name.isEmpty { return .success(name) }
        }
        return .failure(UnusableLine(line: line, reason: "neither objectId, key nor url"))
    }
}

/// A line of a list that names no file.
package struct UnusableLine: Error, Sendable, Hashable {
    /// The number of the line, from 1.
    package let line: Int
    /// The reason as a phrase.
    package let reason: String
}
