import Domain
import Foundation
import GRDB
import Support
import Testing

@testable import SQLiteStore

/// What the segments of a capture make of its base.
@Suite struct DatabaseCaptureTests {
    /// A database, its capture, and the copy that segments are applied to.
    private struct Parts {
        let folder: String
        let database: SQLiteDatabase
        let capture: DatabaseCapture
        var store: SQLiteObjectStore { SQLiteObjectStore(database) }
        var copy: String { "\(folder)/copy.sqlite" }

        func begin(maxSize: Int64 = 1 << 30) throws -> SegmentLink {
            try? FileManager.default.removeItem(atPath: copy)
            _ = try begin(capture, copyingTo: copy, maxSize: maxSize)
            let digits = String(repeating: "00", count: 32)
            return try #require(SegmentLink(base: BackupManifest.Content(size: 0, sha256: digits)))
        }

        /// Begins a capture with a spool of its own.
        func begin(
            _ capture: DatabaseCapture,
            copyingTo path: String,
            maxSize: Int64 = 1 << 30,
            after floor: Timestamp? = nil
        ) throws -> Timestamp {
            let spool = "\(folder)/spool-\(UUID())"
            try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: true)
            return try capture.begin(copyingTo: path, spool: spool, maxSize: maxSize, after: floor)
        }

        /// Seals a segment, and applies it to the copy; `nil` if there is none.
        func apply(after link: SegmentLink) throws -> SegmentLink? {
            let segment = try capture.seal(number: link.number + 1, previous: link.digest)
            return try segment.map { try SegmentReplay.apply($0.path, to: copy, after: link) }
        }

        func write(_ ids: [String], size: Int = 10) async throws {
            let objects = try ids.map { try StoredObject.sample($0, text: String(repeating: "x", count: size)) }
            try await store.write { writer in
                for object in objects { try writer.insert(object, into: .session) }
            }
        }

        /// The rows of all tables in the order of their pages, from the original or the copy.
        func content(ofCopy isCopy: Bool) throws -> [String: [[DatabaseValue]]] {
            let path = isCopy ? copy : "\(folder)/db.sqlite"
            let queue = try DatabaseQueue(path: path, configuration: DatabaseCopy.configuration(readonly: true))
            let rows = try queue.read { db in
                #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
                let tables = try String.fetchAll(
                    db,
                    sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1"
                )
                return try tables.reduce(into: [String: [[DatabaseValue]]]()) { content, table in
                    let rows = try Row.fetchAll(db, sql: "SELECT * FROM \"\(table)\"")
                    content[table] = rows.map { Array($0.databaseValues) }
                }
            }
            try queue.close()
            return rows
        }
    }

    private func with(_ body: (Parts) async throws -> Void) async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite")
            try await body(Parts(folder: folder, database: database, capture: DatabaseCapture(of: database)))
            try database.close()
        }
    }

    @Test("a capture tells which files are still there")
    func has() async throws {
        try await with { parts in
            let records = [try Samples.record(), try Samples.record()]
            try await FileRecords(parts.store).insert(records)
            _ = try await parts.store.write { try $0.delete(records[0].id, in: .file) }
            let files = records.map { FileEntry(id: $0.id, key: $0.key, facts: $0.facts) }
            #expect(files.map(parts.capture.has) == [false, true])
        }
    }

    @Test("base and segments are the database after each segment, also over checkpoints and logs that begin anew")
    func follows() async throws {
        try await with { parts in
            try await parts.write(["before"])
            var link = try parts.begin()
            #expect(try parts.content(ofCopy: true) == parts.content(ofCopy: false))
            #expect(try parts.apply(after: link) == nil)
            for round in 0..<4 {
                // More than a thousand frames each, so that the log is copied and begun anew.
                for part in 0..<3 { try await parts.write((0..<30).map { "o\(round)x\(part)x\($0)" }, size: 60_000) }
                link = try #require(try parts.apply(after: link))
                #expect(try parts.content(ofCopy: true) == parts.content(ofCopy: false))
            }
            #expect(link.number == 4)
            let ids = try (0..<30).map { try #require(ObjectID("o3x2x\($0)")) }
            try await parts.store.write { writer in
                _ = try writer.delete(ids, in: .session)
            }
            link = try #require(try parts.apply(after: link))
            #expect(try parts.content(ofCopy: true) == parts.content(ofCopy: false))
        }
    }

    @Test("a change while the base is copied is in the first segment, not in the base")
    func begins() async throws {
        try await with { parts in
            let link = try parts.begin()
            let base = try parts.content(ofCopy: true)
            try await parts.write(["after"])
            #expect(try parts.content(ofCopy: true) == base)
            _ = try #require(try parts.apply(after: link))
            #expect(try parts.content(ofCopy: true) == parts.content(ofCopy: false))
        }
    }

    @Test("a second capture begins while the first one goes on, and both give the database")
    func twoCaptures() async throws {
        try await with { parts in
            var link = try parts.begin()
            let second = DatabaseCapture(of: parts.database)
            let copy = "\(parts.folder)/second.sqlite"
            try await parts.write(["a"])
            _ = try parts.begin(second, copyingTo: copy)
            let start = link
            // More than a thousand frames, so that the log is copied and begun anew.
            for part in 0..<3 { try await parts.write((0..<30).map { "o\(part)x\($0)" }, size: 60_000) }
            link = try #require(try parts.apply(after: link))
            #expect(try parts.content(ofCopy: true) == parts.content(ofCopy: false))
            parts.capture.end()
            try await parts.write(["b"])
            let segment = try #require(try second.seal(number: 1, previous: start.digest))
            _ = try SegmentReplay.apply(segment.path, to: copy, after: start)
            try FileManager.default.removeItem(atPath: parts.copy)
            try FileManager.default.copyItem(atPath: copy, toPath: parts.copy)
            #expect(try parts.content(ofCopy: true) == parts.content(ofCopy: false))
        }
    }

    @Test("a capture begins after the time of the generation before it, also with a clock that was set back")
    func clock() async throws {
        try await with { parts in
            let floor = Timestamp(milliseconds: Timestamp.now().milliseconds + 3_600_000)
            let time = try parts.begin(parts.capture, copyingTo: parts.copy, after: floor)
            #expect(time > floor)
            try await parts.write(["a"])
            let segment = try #require(try parts.capture.seal(number: 1, previous: [UInt8](repeating: 0, count: 32)))
            #expect(segment.name.time >= time)
            // The lag is measured by the clock.
            #expect(segment.oldest < floor)
        }
    }

    @Test("another program's checkpoint that loses frames is noticed")
    func foreignCheckpoint() async throws {
        try await with { parts in
            let link = try parts.begin()
            try await parts.write(["a"])
            let other = try DatabaseQueue(path: "\(parts.folder)/db.sqlite")
            try await other.writeWithoutTransaction { _ = try $0.checkpoint(.restart) }
            try await parts.write(["b"])
            #expect(throws: OpenFailure.self) { try parts.apply(after: link) }
            #expect(parts.capture.progress.loss != nil)
            try other.close()
            let next = try parts.begin()
            try await parts.write(["c"])
            _ = try #require(try parts.apply(after: next))
            #expect(try parts.content(ofCopy: true) == parts.content(ofCopy: false))
        }
    }

    @Test("a capture beyond its limit ends, and writers do not notice")
    func limit() async throws {
        try await with { parts in
            _ = try parts.begin(maxSize: 50_000)
            try await parts.write(["a"], size: 100_000)
            parts.capture.advance()
            #expect(parts.capture.progress.loss?.contains("50000") == true)
            try await parts.write(["b"])
        }
    }

    @Test("a capture that misses which files are new ends, because its segments would lack their bytes")
    func missedFiles() async throws {
        try await with { parts in
            _ = try parts.begin()
            parts.store.changes.limitStates(to: 10)
            try await FileRecords(parts.store).insert([try Samples.record()])
            parts.capture.advance()
            #expect(parts.capture.progress.loss?.contains("new files") == true)
        }
    }

    @Test("a page of many versions is in a segment once, and the last version counts, too, when it comes twice")
    func versions() async throws {
        try await Samples.withFolder { folder in
            for maxOffsets in [1, 10] {
                let draft = try SegmentDraft("\(folder)/\(maxOffsets)", pageSize: 512, maxOffsets: maxOffsets)
                for (page, byte) in [(1, 1), (2, 2), (1, 3), (2, 4)] as [(UInt32, UInt8)] {
                    try [UInt8](repeating: byte, count: 512).withUnsafeBytes { try draft.add(page, $0) }
                }
                #expect(draft.size == Int64(SegmentHeader.size + (maxOffsets == 1 ? 4 : 2) * 516))
                let cut = CutSegment(
                    path: draft.path,
                    size: draft.size,
                    pageSize: 512,
                    databasePages: 2,
                    oldest: .now(),
                    time: .now()
                )
                let previous = [UInt8](repeating: 0, count: 32)
                _ = try cut.finish(number: 1, previous: previous)
                var decoder = SegmentDecoder()
                var pages: [UInt32: UInt8] = [:]
                try Data(contentsOf: URL(filePath: draft.path)).withUnsafeBytes { bytes in
                    try decoder.add(bytes) { number, page in pages[number] = page[0] }
                }
                _ = try decoder.finish()
                #expect(pages == [1: 3, 2: 4])
            }
        }
    }
}

extension StoredObject {
    fileprivate static func sample(_ id: String, text: String) throws -> StoredObject {
        let now = Timestamp(milliseconds: 0)
        return StoredObject(
            id: try #require(ObjectID(id)),
            createdAt: now,
            updatedAt: now,
            fields: ["text": .string(text)]
        )
    }
}
