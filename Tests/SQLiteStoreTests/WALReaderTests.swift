import Domain
import GRDB
import Support
import Testing

@testable import SQLiteStore

/// How a log is followed while a database writes it.
@Suite struct WALReaderTests {
    /// A database whose log no checkpoint empties.
    private func withLog(_ body: (DatabaseQueue, _ log: String) throws -> Void) async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
                try db.execute(sql: "CREATE TABLE t (x)")
            }
            try body(queue, path + "-wal")
            try queue.close()
        }
    }

    private func insert(_ count: Int, _ queue: DatabaseQueue) throws {
        try queue.write { db in
            for _ in 0..<count { try db.execute(sql: "INSERT INTO t VALUES (randomblob(3000))") }
        }
    }

    private func pages(_ reader: WALReader, upTo limit: UInt32 = .max) throws -> [UInt32] {
        var pages: [UInt32] = []
        while let page = try reader.next(upTo: limit, { frame, _ in frame.page }) { pages.append(page) }
        return pages
    }

    @Test("frames that are appended after the end was reached are read")
    func appended() async throws {
        try await withLog { queue, log in
            let reader = try #require(try WALReader(log))
            var frames = try pages(reader)
            for count in [1, 3, 100, 2] {
                try insert(count, queue)
                let more = try pages(reader)
                #expect(!more.isEmpty)
                frames += more
            }
            #expect(try pages(#require(try WALReader(log))) == frames)
        }
    }

    @Test("whole frames of a transaction that is not committed are overwritten later, and were not read ahead")
    func overwritten() async throws {
        try await withLog { queue, log in
            let reader = try #require(try WALReader(log))
            _ = try pages(reader)
            let committed = reader.count
            // A cache of a few pages makes SQLite write pages to the log before the commit.
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA cache_size = 5")
                try db.inTransaction {
                    for _ in 0..<40 { try db.execute(sql: "INSERT INTO t VALUES (randomblob(3000))") }
                    return .rollback
                }
            }
            #expect(
                try pages(#require(try WALReader(log))).count > Int(committed),
                "nothing was written before the end"
            )
            #expect(try pages(reader, upTo: committed) == [])
            try insert(1, queue)
            let end = try pages(#require(try WALReader(log))).count
            let new = try pages(reader, upTo: UInt32(end))
            #expect(new.count == end - Int(committed))
        }
    }

    @Test("a reader that skips frames continues as one that read them")
    func skips() async throws {
        try await withLog { queue, log in
            try insert(5, queue)
            let whole = try #require(try WALReader(log))
            _ = try pages(whole)
            let skipping = try #require(try WALReader(log))
            try skipping.skip(to: whole.count)
            try insert(5, queue)
            let expected = try pages(whole)
            #expect(try !expected.isEmpty && pages(skipping) == expected)
            #expect(throws: SystemFailure.self) { try skipping.skip(to: skipping.count + 1) }
        }
    }
}
