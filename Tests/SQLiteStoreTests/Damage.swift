import Domain
import Foundation
import GRDB

@testable import SQLiteStore

/// The damage of failing disks to a database that no process has open.
enum Damage {
    /// Overwrites the last leaf page of a class's table, which must have more than one.
    static func spoilTable(of name: ClassName, in path: String) throws {
        let table = try DatabaseQueue(path: path).read { db in
            ClassTable(number: try Catalog(db).entries[name]?.number ?? 0).name
        }
        try spoil(table, in: path)
    }

    /// Overwrites the last leaf page of an index, which must have more than one.
    static func spoilIndex(_ name: String, in path: String) throws {
        try spoil(name, in: path)
    }

    /// Overwrites the last child of the root page of a table or an index.
    private static func spoil(_ name: String, in path: String) throws {
        let (root, size) = try DatabaseQueue(path: path).read { db in
            let root = try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = ?", arguments: [name])
            return (root ?? 0, try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
        }
        var bytes = try Data(contentsOf: URL(filePath: path))
        // The header of an interior page ends with the number of its last child (SQLite's file format, 1.6).
        let child = bytes[(root - 1) * size + 8..<(root - 1) * size + 12].reduce(0) { $0 << 8 | Int($1) }
        bytes.replaceSubrange((child - 1) * size..<child * size, with: Data(repeating: 0xff, count: size))
        try bytes.write(to: URL(filePath: path))
    }

    /// Puts other bytes in the place of some that are there once, such as a key in its record.
    static func replace(_ old: String, by new: String, in path: String) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        while let range = bytes.range(of: Data(old.utf8)) { bytes.replaceSubrange(range, with: Data(new.utf8)) }
        try bytes.write(to: URL(filePath: path))
    }
}
