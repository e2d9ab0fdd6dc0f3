import DiskBlobs
import Domain
import Foundation
import NIOPosix
import SQLiteStore
import Support
import Synchronization
import Testing

@testable import Server
@testable import Storage

/// A storage folder with one app, `app`, of three files, whose database is open.
struct StorageCheckFixture {
    let storage: String
    let store: SQLiteObjectStore
    let database: SQLiteDatabase
    let blobs: BlobStorage
    let records: [FileRecord]
    let rows = MemoryRowInspection()
    /// The puts whose claims the app's blobs have, as in a bucket.
    let claims = ClaimedBlobs.Claims()

    var app: String { "\(storage)/app" }

    /// The kinds and subjects of all findings, and the result.
    func check(
        _ change: (inout CheckOptions) -> Void = { _ in }
    ) async throws -> (findings: [CheckFinding], summary: CheckSummary) {
        var options = CheckOptions()
        change(&options)
        let found = Findings()
        let engine = EngineWithRows(rows: rows, claims: claims)
        let check = StorageCheck(of: storage, with: engine, options, CheckObserver(found: { found.add($0) }))
        let summary = try await check.run()
        return (found.all, summary)
    }

    func kinds(_ change: (inout CheckOptions) -> Void = { _ in }) async throws -> [String] {
        try await check(change).findings.map(\.kind).sorted()
    }

    func path(of record: FileRecord) -> String {
        let name = BlobName(record.key).description
        return "\(app)/blobs/\(name.prefix(2))/\(name)"
    }

    func flip(_ record: FileRecord) throws {
        let path = path(of: record)
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[0] ^= 1
        try bytes.write(to: URL(filePath: path))
    }

    static func with(_ body: (StorageCheckFixture) async throws -> Void) async throws {
        try await Samples.withFolder { folder in
            let app = "\(folder)/app"
            try FileManager.default.createDirectory(atPath: app, withIntermediateDirectories: true)
            let database = try SQLiteDatabase(path: "\(app)/lcfile.sqlite")
            let blobs = BlobStorage(
                staging: try DiskStagingArea(folder: app, pool: .singleton),
                blobs: try DiskBlobStore(folder: app, pool: .singleton)
            )
            _ = try DiskScrubJournal(folder: app, pool: .singleton)
            var records: [FileRecord] = []
            for text in ["one", "two", "three"] {
                let key = try #require(FileKey("\(text).txt"))
                let facts = try await blobs.store(text, as: key)
                records.append(
                    FileRecord(
                        id: ObjectIDGenerator().next(),
                        key: key,
                        name: try FileName("\(text).txt", limit: 255),
                        mediaType: .jpeg,
                        detectedType: nil,
                        facts: facts,
                        metaData: [:],
                        acl: nil,
                        createdAt: .now()
                    )
                )
            }
            let store = SQLiteObjectStore(database)
            try await FileRecords(store).insert(records)
            // The database stays open, as that of a running server.
            try await body(
                StorageCheckFixture(storage: folder, store: store, database: database, blobs: blobs, records: records)
            )
            try database.close()
        }
    }
}

private final class Findings: Sendable {
    private let list = Mutex<[CheckFinding]>([])

    var all: [CheckFinding] { list.withLock { $0 } }

    func add(_ finding: CheckFinding) { list.withLock { $0.append(finding) } }
}

/// The engine of the command with rows whose damage a test sets.
private struct EngineWithRows: CheckEngine {
    private let engine = FolderEngine()
    let inspection: MemoryRowInspection
    let claims: ClaimedBlobs.Claims

    init(rows: MemoryRowInspection, claims: ClaimedBlobs.Claims) {
        inspection = rows
        self.claims = claims
    }

    var databaseName: String { engine.databaseName }

    func logDamage(in folder: String) throws(OpenFailure) -> DamagedLog? { try engine.logDamage(in: folder) }

    func moveLogAside(in folder: String) throws(OpenFailure) -> String { try engine.moveLogAside(in: folder) }

    func openDatabase(in folder: String, repairing: Bool) throws(OpenFailure) -> any CheckedDatabase {
        try engine.openDatabase(in: folder, repairing: repairing)
    }

    func blobs(in folder: String) -> any CheckedBlobs { ClaimedBlobs(engine.blobs(in: folder), claims) }

    func correctUsage(in folder: String, to usage: Usage) async throws {
        try await engine.correctUsage(in: folder, to: usage)
    }

    func rows(in folder: String) throws(OpenFailure) -> any RowInspection { inspection }

    func rowRepair(in folder: String) throws(OpenFailure) -> any RowRepair { inspection }
}
