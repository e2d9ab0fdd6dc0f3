import Domain
import Foundation
import Support
import Synchronization
import Testing

@testable import Storage

@Suite struct StorageMoveTests {
    /// A storage with one app of three objects.
    private struct Fixture {
        let storage: String
        let schemas = FakeMoves.Schemas()

        var folder: String { "\(storage)/app" }
        var file: String { "\(folder)/lcfile.sqlite" }

        func run(
            _ direction: StorageMove.Direction,
            _ extent: StorageMove.Extent = .move,
            killedAfter steps: Int? = nil,
            finding damage: DamagedLog? = nil
        ) throws -> [StorageMove.Outcome] {
            let engine = FakeMoves(schemas: schemas, kill: Kill(after: steps), damage: damage)
            let move = StorageMove(of: storage, direction, extent, with: engine) { _ in }
            var outcomes: [StorageMove.Outcome] = []
            try move.run { _, outcome in outcomes.append(outcome) }
            return outcomes
        }

        /// Changes the objects as a server does.
        func write(_ numbers: [Int64]) throws {
            if let marker = try DatabaseMarker.read(in: folder) {
                schemas.numbers.withLock { $0[marker.schema] = numbers }
            } else {
                try numbers.map { "\($0)\n" }.joined().write(toFile: file, atomically: true, encoding: .utf8)
            }
        }

        /// The objects that a server finds.
        func objects() throws -> [Int64] {
            if let marker = try DatabaseMarker.read(in: folder) {
                return try #require(schemas.numbers.withLock { $0[marker.schema] })
            }
            let text = try String(contentsOfFile: file, encoding: .utf8)
            return try text.split(separator: "\n").map { try #require(Int64($0)) }
        }

        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder) }
    }

    private func withStorage(
        in direction: StorageMove.Direction,
        _ body: (Fixture) throws -> Void
    ) async throws {
        try await Samples.withFolder { storage in
            let fixture = Fixture(storage: storage)
            try FileManager.default.createDirectory(atPath: fixture.folder, withIntermediateDirectories: true)
            try "1\n2\n3\n".write(toFile: fixture.file, atomically: true, encoding: .utf8)
            if direction == .toFiles { _ = try fixture.run(.toPostgres) }
            try body(fixture)
        }
    }

    @Test("objects move to PostgreSQL and back; what was moved from is kept under another name")
    func roundTrip() async throws {
        try await withStorage(in: .toPostgres) { (fixture) throws in
            #expect(try fixture.run(.toPostgres) == [.moved(objects: 3)])
            #expect(try fixture.objects() == [1, 2, 3])
            #expect(try fixture.names().filter { $0.hasPrefix("lcfile.sqlite.moved-") }.count == 1)
            #expect(try fixture.run(.toPostgres) == [.done])
            #expect(try fixture.run(.toFiles) == [.moved(objects: 3)])
            #expect(try fixture.objects() == [1, 2, 3])
            #expect(fixture.schemas.numbers.withLock { $0.keys.allSatisfy { $0.hasPrefix("lcfile_app_moved_") } })
            #expect(try fixture.run(.toFiles) == [.done])
            #expect(try fixture.run(.toPostgres) == [.moved(objects: 3)])
        }
    }

    @Test(
        "a move that is killed at any step leaves all objects in use, and the next one ends it or goes back",
        arguments: [StorageMove.Direction.toPostgres, .toFiles],
        [StorageMove.Direction.toPostgres, .toFiles]
    )
    func kills(first: StorageMove.Direction, next: StorageMove.Direction) async throws {
        let steps = Mutex(0)
        let isDone = Mutex(false)
        while !isDone.withLock({ $0 }) {
            try await withStorage(in: first) { (fixture) throws in
                do {
                    _ = try fixture.run(first, killedAfter: steps.withLock { $0 })
                    isDone.withLock { $0 = true }
                } catch is Kill.Killed {
                    steps.withLock { $0 += 1 }
                }
                #expect(try fixture.objects() == [1, 2, 3])
                _ = try fixture.run(next)
                #expect(try fixture.objects() == [1, 2, 3])
                #expect(try (DatabaseMarker.read(in: fixture.folder) != nil) == (next == .toPostgres))
                #expect(try fixture.names().contains("lcfile.sqlite") == (next == .toFiles))
                #expect(try !fixture.names().contains { $0.hasSuffix(".partial") })
            }
        }
        #expect(steps.withLock { $0 } >= 5)
    }

    @Test(
        "a copy switches nothing, and the move brings what changed since",
        arguments: [StorageMove.Direction.toPostgres, .toFiles]
    )
    func copies(direction: StorageMove.Direction) async throws {
        try await withStorage(in: direction) { (fixture) throws in
            let before = try DatabaseMarker.read(in: fixture.folder)
            #expect(try fixture.run(direction, .copy) == [.copied(objects: 3)])
            try fixture.write([1, 3, 4, 5])
            #expect(try fixture.run(direction, .copy) == [.copied(objects: 4)])
            #expect(try DatabaseMarker.read(in: fixture.folder) == before)
            try fixture.write([3, 9])
            #expect(try fixture.objects() == [3, 9])
            #expect(try fixture.run(direction) == [.moved(objects: 2)])
            #expect(try fixture.objects() == [3, 9])
            #expect(try (DatabaseMarker.read(in: fixture.folder) == nil) == (direction == .toFiles))
            #expect(try !fixture.names().contains { $0.hasSuffix(".copy") })
            #expect(try fixture.run(direction, .copy) == [.done])
        }
    }

    @Test(
        "a copy of a file with a damaged write-ahead log is refused before anything is read",
        arguments: [DamagedLog.lost("the log ends early"), .copied]
    )
    func damagedLog(damage: DamagedLog) async throws {
        try await withStorage(in: .toPostgres) { (fixture) throws in
            let error = #expect(throws: ExitError.self) {
                _ = try fixture.run(.toPostgres, .copy, finding: damage)
            }
            #expect(error?.exitCode == 73)
            #expect(error?.description.hasPrefix("the database \(fixture.file) \(damage.description)") == true)
            let isUnchanged = fixture.schemas.numbers.withLock(\.isEmpty)
            #expect(isUnchanged)
        }
    }

    @Test(
        "an app whose database is gone or empty ends a move and a copy before the first app",
        arguments: [StorageMove.Direction.toPostgres, .toFiles],
        [StorageMove.Extent.move, .copy]
    )
    func lostDatabase(direction: StorageMove.Direction, extent: StorageMove.Extent) async throws {
        try await withStorage(in: direction) { (fixture) throws in
            let before = try DatabaseMarker.read(in: fixture.folder)
            // Behind the other app in the order of the names.
            let lost = "\(fixture.storage)/lost"
            try FileManager.default.createDirectory(atPath: "\(lost)/blobs", withIntermediateDirectories: true)
            for content in [nil, Data()] {
                try content?.write(to: URL(filePath: "\(lost)/lcfile.sqlite"))
                let error = #expect(throws: ExitError.self) { _ = try fixture.run(direction, extent) }
                #expect(error?.exitCode == 73)
                #expect(error?.description.hasPrefix("the database \(lost)/lcfile.sqlite is missing or empty") == true)
                #expect(try DatabaseMarker.read(in: fixture.folder) == before)
            }
        }
    }

    @Test(
        "a copy or a move after it that is killed at any step leaves all objects in use, and the next one ends it",
        arguments: [StorageMove.Direction.toPostgres, .toFiles],
        [StorageMove.Extent.copy, .move]
    )
    func killedCopies(direction: StorageMove.Direction, extent: StorageMove.Extent) async throws {
        let steps = Mutex(0)
        let isDone = Mutex(false)
        while !isDone.withLock({ $0 }) {
            try await withStorage(in: direction) { (fixture) throws in
                if extent == .move {
                    _ = try fixture.run(direction, .copy)
                    try fixture.write([2, 3, 4])
                }
                let objects = try fixture.objects()
                do {
                    _ = try fixture.run(direction, extent, killedAfter: steps.withLock { $0 })
                    isDone.withLock { $0 = true }
                } catch is Kill.Killed {
                    steps.withLock { $0 += 1 }
                }
                #expect(try fixture.objects() == objects)
                _ = try fixture.run(direction, extent)
                #expect(try fixture.objects() == objects)
                _ = try fixture.run(direction)
                #expect(try fixture.objects() == objects)
                #expect(try fixture.names().contains("lcfile.sqlite") == (direction == .toFiles))
                #expect(try !fixture.names().contains { $0.hasSuffix(".partial") || $0.hasSuffix(".copy") })
            }
        }
        #expect(steps.withLock { $0 } >= 3)
    }

    @Test("the journal of a copy that was removed is not applied to the next one")
    func journal() async throws {
        try await withStorage(in: .toFiles) { (fixture) throws in
            let copy = "\(fixture.file).copy"
            try "journal".write(toFile: "\(copy)-journal", atomically: true, encoding: .utf8)
            #expect(try fixture.run(.toFiles, .copy) == [.copied(objects: 3)])
            #expect(try fixture.names().contains("lcfile.sqlite.copy"))
            #expect(try !fixture.names().contains("lcfile.sqlite.copy-journal"))
        }
    }

    @Test("a copy is made beside a server, and refused into a schema that is no copy of the storage")
    func copyBesideServer() async throws {
        try await withStorage(in: .toPostgres) { (fixture) throws in
            let folder = try StorageFolder(path: fixture.storage)
            #expect(try fixture.run(.toPostgres, .copy) == [.copied(objects: 3)])
            withExtendedLifetime(folder.path) {}
            fixture.schemas.marks.withLock { $0["lcfile_app"] = "copy-of-another" }
            let error = #expect(throws: ExitError.self) { try fixture.run(.toPostgres, .copy) }
            #expect(error?.description.contains("not a copy of this storage") == true)
            #expect(error?.description.contains(#"DROP SCHEMA "lcfile_app" CASCADE"#) == true)
        }
    }

    @Test("a file beside a marker does not count: it gets another name, in both directions")
    func fileBesideMarker() async throws {
        for direction in [StorageMove.Direction.toPostgres, .toFiles] {
            try await withStorage(in: .toFiles) { (fixture) throws in
                try "7\n".write(toFile: fixture.file, atomically: true, encoding: .utf8)
                _ = try fixture.run(direction)
                #expect(try fixture.objects() == [1, 2, 3])
                #expect(try fixture.names().filter { $0.hasPrefix("lcfile.sqlite.moved-") }.count == 2)
            }
        }
    }

    @Test("a schema that is not that of the marker is not moved")
    func otherSchema() async throws {
        try await withStorage(in: .toFiles) { (fixture) throws in
            try DatabaseMarker(schema: "lcfile_app", id: "another").write(in: fixture.folder)
            let error = #expect(throws: ExitError.self) { try fixture.run(.toFiles) }
            #expect(error?.description.contains("is not that of") == true)
            #expect(try DatabaseMarker.read(in: fixture.folder) != nil)
        }
    }

    @Test("a schema with other objects is not used, and the file stays in use")
    func otherObjects() async throws {
        try await withStorage(in: .toPostgres) { (fixture) throws in
            fixture.schemas.numbers.withLock { $0["lcfile_app"] = [1, 2] }
            let error = #expect(throws: ExitError.self) { try fixture.run(.toPostgres) }
            #expect(error?.description.contains("has 2 objects of Task, the original has 3") == true)
            #expect(error?.description.contains(#"DROP SCHEMA "lcfile_app" CASCADE"#) == true)
            #expect(try fixture.names() == ["lcfile.sqlite"])
        }
    }

    @Test("a storage that a server uses, and one without apps, are refused")
    func refused() async throws {
        try await withStorage(in: .toPostgres) { (fixture) throws in
            let folder = try StorageFolder(path: fixture.storage)
            #expect(throws: ExitError.self) { try fixture.run(.toPostgres) }
            withExtendedLifetime(folder.path) {}
        }
        try await Samples.withFolder { storage in
            let empty = Fixture(storage: storage)
            #expect(throws: ExitError.self) { try empty.run(.toPostgres) }
            return
        }
    }
}
