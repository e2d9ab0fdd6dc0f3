import Domain
import Foundation
import GRDB
import Glibc
import Support
import Testing

@testable import SQLiteStore

/// What a start notices of a write-ahead log that was damaged after the server was killed.
@Suite struct LostCommitsTests {
    /// The change of one byte, or of the file, while no process has the database open.
    struct LogDamage: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let make: @Sendable (_ log: String) throws -> Void

        static func flip(_ name: String, _ offset: @escaping @Sendable (_ size: Int) -> Int) -> LogDamage {
            LogDamage(testDescription: "a flipped byte in \(name)") { log in
                var bytes = try Data(contentsOf: URL(filePath: log))
                bytes[offset(bytes.count)] ^= 0x40
                try bytes.write(to: URL(filePath: log))
            }
        }

        static func cut(_ name: String, _ length: @escaping @Sendable (_ size: Int) -> Int) -> LogDamage {
            LogDamage(testDescription: "a log that was cut \(name)") { log in
                let bytes = try Data(contentsOf: URL(filePath: log))
                try bytes.prefix(length(bytes.count)).write(to: URL(filePath: log))
            }
        }

        static let removal = LogDamage(testDescription: "a removed log") {
            try FileManager.default.removeItem(atPath: $0)
        }

        static let frame = 24 + 4096
        static let all = [
            flip("the magic number") { _ in 1 },
            flip("the salts of the header") { _ in 17 },
            flip("the checksum of the header") { _ in 30 },
            flip("the page number of the first frame") { _ in 32 + 3 },
            flip("the salt of the first frame") { _ in 32 + 9 },
            flip("the checksum of the first frame") { _ in 32 + 20 },
            flip("the first page") { _ in 32 + 24 + 2000 },
            flip("the commit size of the last frame") { $0 - frame + 7 },
            flip("the last page") { $0 - 1 },
            cut("by a byte") { $0 - 1 },
            cut("by a frame") { $0 - frame },
            cut("in its header") { _ in 20 },
            cut("to nothing") { _ in 0 },
            removal,
        ]
    }

    /// A folder with the files of a server that was killed: its database, log and mark.
    private func withKilled(
        objects: Int = 3,
        checkpointed: Bool = false,
        _ body: (_ path: String) async throws -> Void
    ) async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            let killed = "\(folder)/killed"
            let database = try SQLiteDatabase(path: path)
            let store = SQLiteObjectStore(database)
            if checkpointed {
                // The hook copies the log after a commit that ends behind the thousandth frame.
                try await store.write { writer in
                    for number in 0..<300 {
                        let text = String(repeating: "\(number % 10)", count: 16_000)
                        try writer.insert(try StoredObject.sample("large\(number)", text: text), into: .session)
                    }
                }
            } else {
                for number in 0..<objects {
                    try await store.write { try $0.insert(try StoredObject.sample("o\(number)"), into: .session) }
                }
            }
            try FileManager.default.createDirectory(atPath: killed, withIntermediateDirectories: false)
            for name in ["db.sqlite", "db.sqlite-wal", "db.commits"] {
                // cp keeps the times as a killed process does.
                try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(killed)/\(name)")
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
                try FileManager.default.setAttributes(
                    [.modificationDate: attributes[.modificationDate] as Any],
                    ofItemAtPath: "\(killed)/\(name)"
                )
            }
            try database.close()
            try await body("\(killed)/db.sqlite")
        }
    }

    private func names(beside path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: URL(filePath: path).deletingLastPathComponent().path)
    }

    @Test("a log that lost acknowledged changes is refused, and nothing is changed", arguments: LogDamage.all)
    func refuses(_ damage: LogDamage) async throws {
        try await withKilled { path in
            try damage.make(path + "-wal")
            let before = try? Data(contentsOf: URL(filePath: path + "-wal"))
            for _ in 0..<2 {
                let failure = #expect(throws: OpenFailure.self) { try SQLiteDatabase(path: path) }
                #expect(failure?.message.hasPrefix("has lost acknowledged changes") == true)
            }
            #expect(before == (try? Data(contentsOf: URL(filePath: path + "-wal"))))
        }
    }

    @Test("a check or a repair of a stopped storage refuses such a log, and changes nothing", arguments: LogDamage.all)
    func repair(_ damage: LogDamage) async throws {
        try await withKilled { path in
            try damage.make(path + "-wal")
            let files = [path, path + "-wal", CommitMarkFile.path(of: path)]
            func contents() -> [Data?] { files.map { try? Data(contentsOf: URL(filePath: $0)) } }
            let before = contents()
            guard case .lost? = try OfflineLog(of: path).damage() else {
                Issue.record("the loss is not noticed")
                return
            }
            #expect(throws: OpenFailure.self) { try DatabaseCheck(path: path, repairing: true) }
            #expect(throws: OpenFailure.self) { try OfflineDatabase(path: path) }
            #expect(contents() == before)
        }
    }

    @Test("a repair moves a damaged log aside whose pages the database has, before SQLite reads it")
    func repairCopied() async throws {
        try await withKilled(checkpointed: true) { path in
            try LogDamage.flip("a page") { _ in 32 + 24 + 2000 }.make(path + "-wal")
            let log = OfflineLog(of: path)
            #expect(try log.damage() == .copied)
            #expect(throws: OpenFailure.self) { try DatabaseCheck(path: path, repairing: true) }
            let saved = try log.moveAside()
            #expect(FileManager.default.fileExists(atPath: saved))
            #expect(try log.damage() == nil)
            let check = try DatabaseCheck(path: path, repairing: true)
            #expect(try check.pageDamage(comparingIndexes: true).isEmpty)
            try check.close()
        }
    }

    @Test("an accepted loss saves the log, is reported, and is over at the next start", arguments: LogDamage.all)
    func accepts(_ damage: LogDamage) async throws {
        try await withKilled { path in
            try damage.make(path + "-wal")
            let before = try? Data(contentsOf: URL(filePath: path + "-wal"))
            let health = StorageHealth()
            let database = try SQLiteDatabase(path: path, health: health, acceptsLostCommits: true)
            #expect(health.faults == [.damaged])
            let saved = try names(beside: path).first { $0.contains("-wal.damaged-") }
            let bytes = saved.flatMap { name in
                try? Data(contentsOf: URL(filePath: path).deletingLastPathComponent().appending(path: name))
            }
            #expect(bytes == before)
            try database.close()
            try SQLiteDatabase(path: path).close()
        }
    }

    @Test("a database that contains all of a damaged log loses nothing")
    func databaseHasAll() async throws {
        try await withKilled(checkpointed: true) { path in
            try LogDamage.flip("a page") { _ in 32 + 24 + 2000 }.make(path + "-wal")
            let health = StorageHealth()
            let database = try SQLiteDatabase(path: path, health: health)
            #expect(health.faults == [.damaged])
            let store = SQLiteObjectStore(database)
            for number in 0..<300 {
                let id = try StoredObject.sample("large\(number)").id
                #expect(try await store.read { try $0.row(id, in: .session) } != nil)
            }
            try database.close()
        }
    }

    @Test("a killed server's files are opened with all changes and without a report")
    func killed() async throws {
        try await withKilled { path in
            let health = StorageHealth()
            let database = try SQLiteDatabase(path: path, health: health)
            #expect(health.faults.isEmpty)
            let store = SQLiteObjectStore(database)
            for number in 0..<3 {
                let id = try StoredObject.sample("o\(number)").id
                #expect(try await store.read { try $0.row(id, in: .session) } != nil)
            }
            try database.close()
        }
    }

    /// What happens to the files of a killed server without a loss.
    enum Harmless: String, CaseIterable {
        case missingMark = "the mark is missing, as after an earlier version"
        case damagedMark = "the mark is damaged"
        case olderMark = "the mark is older than the log, as after a power loss"
        case markOfEarlierLog = "the log was begun anew after the mark was written"
        case earlierVersion = "an earlier version ran and stopped meanwhile"
        case restored = "a backup was put in the database's place, without a log"
        case cleanStop = "the server was stopped"
    }

    @Test("no alarm without a loss", arguments: Harmless.allCases)
    func noAlarm(_ event: Harmless) async throws {
        try await withKilled { path in
            let mark = CommitMarkFile.path(of: path)
            let found = try #require(try CommitMarkFile.read(of: path)?.mark)
            func write(_ mark: CommitMark) throws {
                try mark.withBytes { try Data($0).write(to: URL(filePath: CommitMarkFile.path(of: path))) }
            }
            switch event {
            case .missingMark: try FileManager.default.removeItem(atPath: mark)
            case .damagedMark:
                var bytes = try Data(contentsOf: URL(filePath: mark))
                bytes[20] ^= 1
                try bytes.write(to: URL(filePath: mark))
            case .olderMark:
                let reader = try #require(try WALReader(path + "-wal"))
                while try reader.next({ frame, _ in frame.isCommit }) == false {}
                #expect(reader.count < found.end.frames)
                try write(CommitMark(end: .init(salts: found.end.salts, frames: reader.count)))
            case .markOfEarlierLog:
                let salts = WALSalts(first: found.end.salts.first &- 1, second: 77)
                try write(CommitMark(end: .init(salts: salts, frames: 900)))
            case .earlierVersion:
                // Closing the last connection copies the log into the database and removes it.
                try DatabaseQueue(path: path).writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
                try? FileManager.default.removeItem(atPath: path + "-wal")
            case .restored:
                try FileManager.default.removeItem(atPath: path + "-wal")
                try Data(contentsOf: URL(filePath: path)).write(to: URL(filePath: path))
            case .cleanStop: try SQLiteDatabase(path: path).close()
            }
            let health = StorageHealth()
            try SQLiteDatabase(path: path, health: health).close()
            #expect(health.faults.isEmpty)
        }
    }

    @Test(
        "a stop leaves the mark of a database that replaced the open one, so its loss is noticed",
        arguments: [false, true]
    )
    func replaced(isCopied: Bool) async throws {
        try await withKilled { killed in
            try LogDamage.cut("by a frame") { $0 - LogDamage.frame }.make(killed + "-wal")
            try await Samples.withFolder { folder in
                let path = "\(folder)/db.sqlite"
                let database = try SQLiteDatabase(path: path)
                try await SQLiteObjectStore(database).write {
                    try $0.insert(try StoredObject.sample("a"), into: .session)
                }
                for (old, new) in [(killed, path), (killed + "-wal", path + "-wal")] {
                    #expect(rename(old, new) == 0)
                }
                let (old, new) = (CommitMarkFile.path(of: killed), CommitMarkFile.path(of: path))
                if isCopied {
                    // The file stays the one that the server has open.
                    try Data(contentsOf: URL(filePath: old)).write(to: URL(filePath: new))
                } else {
                    #expect(rename(old, new) == 0)
                }
                try database.close()
                let failure = #expect(throws: OpenFailure.self) { try SQLiteDatabase(path: path) }
                #expect(failure?.message.hasPrefix("has lost acknowledged changes") == true)
            }
        }
    }

    @Test("a stop removes its own mark also if the database was moved, and a start after it was moved back succeeds")
    func moved() async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            let database = try SQLiteDatabase(path: path)
            try await SQLiteObjectStore(database).write {
                try $0.insert(try StoredObject.sample("a"), into: .session)
            }
            #expect(rename(path, path + ".aside") == 0)
            try database.close()
            #expect(try CommitMarkFile.read(of: path) == nil)
            #expect(rename(path + ".aside", path) == 0)
            let health = StorageHealth()
            let again = try SQLiteDatabase(path: path, health: health)
            #expect(health.faults.isEmpty)
            #expect(try await SQLiteObjectStore(again).read { try $0.count(.always, in: .session) } == 1)
            try again.close()
        }
    }

    @Test("the mark follows the log when it is begun anew")
    func follows() async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/db.sqlite"
            let database = try SQLiteDatabase(path: path)
            let store = SQLiteObjectStore(database)
            try await store.write { try $0.insert(try StoredObject.sample("a"), into: .session) }
            let first = try #require(try CommitMarkFile.read(of: path)?.mark)
            try await database.pool.writeWithoutTransaction { _ = try $0.checkpoint(.restart) }
            try await store.write { try $0.insert(try StoredObject.sample("b"), into: .session) }
            let second = try #require(try CommitMarkFile.read(of: path)?.mark)
            #expect(second.end.salts.follow(first.end.salts))
            #expect(second.end.frames < first.end.frames)
            #expect(second.previous == first.end)
            try database.close()
            #expect(try CommitMarkFile.read(of: path) == nil)
        }
    }
}

extension StoredObject {
    fileprivate static func sample(_ id: String, text: String = "") throws -> StoredObject {
        let now = Timestamp(milliseconds: 0)
        let fields = ["text": JSONValue.string(text)]
        return StoredObject(id: try #require(ObjectID(id)), createdAt: now, updatedAt: now, fields: fields)
    }
}
