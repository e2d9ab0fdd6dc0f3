import DiskBlobs
import Foundation
import NIOCore
import NIOPosix
import SQLiteStore
import Storage
import Support

@testable import Domain
@testable import Server

/// Two storages in folders, and moves of blobs between them.
struct BlobMoveFixture {
    let folder: String
    let database: SQLiteDatabase
    let store: SQLiteObjectStore
    /// The folder of the server.
    let source: BlobStorage
    let target: BlobStorage
    let ids = ObjectIDGenerator()
    /// What the rows of an upload record.
    var recorded: (upload: ObjectID, ranges: RangeSet<Int64>)?

    init(in folder: String) throws {
        self.folder = folder
        source = try BlobMoveFixture.storage("\(folder)/source")
        target = try BlobMoveFixture.storage("\(folder)/target")
        database = try SQLiteDatabase(path: "\(folder)/source/lcfile.sqlite")
        store = SQLiteObjectStore(database)
    }

    private static func storage(_ path: String) throws -> BlobStorage {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return BlobStorage(
            staging: try DiskStagingArea(folder: path, pool: .singleton),
            blobs: try DiskBlobStore(folder: path, pool: .singleton)
        )
    }

    var journal: CopyJournal { CopyJournal(in: "\(folder)/target") }

    func run(_ phase: BlobMove.Phase = .last) async throws -> BlobMove.Outcome {
        let (source, target) = ("\(folder)/source", "\(folder)/target")
        let records = try FolderEngine().openFiles(in: source)
        let move = BlobMove(
            records: records,
            source: BlobMove.Place(
                blobs: DiskBlobStore(reading: source, pool: .singleton),
                staging: phase == .last ? self.source.staging : nil,
                checked: { FolderBlobs(folder: source) },
                comparesDigests: false,
                journal: nil
            ),
            target: BlobMove.Place(
                blobs: self.target.blobs,
                staging: phase == .last ? self.target.staging : nil,
                checked: { FolderBlobs(folder: target) },
                comparesDigests: true,
                journal: journal
            ),
            phase: phase,
            pool: .singleton,
            recorded: { [recorded] in $0 == recorded?.upload ? recorded?.ranges ?? RangeSet() : RangeSet() }
        )
        let outcome = try await move.run()
        try records.close()
        return outcome
    }

    /// Deletes a file and its bytes, as a server does.
    func delete(_ record: FileRecord) async throws {
        try await store.write { _ = try $0.delete(record.id, in: .file) }
        try await source.blobs.remove(record.key)
    }

    /// The number of blobs in the target.
    func count() throws -> Int {
        try (UInt8.min...UInt8.max).reduce(0) { count, byte in
            try count + FolderBlobs(folder: "\(folder)/target").names(beginningWith: byte).blobs.count
        }
    }

    /// Uploads a file.
    func store(_ text: String, as key: FileKey? = nil) async throws -> FileRecord {
        let sample = try Samples.record(key: key)
        let facts = try await source.store(text, as: sample.key)
        let record = FileRecord(
            id: sample.id,
            key: sample.key,
            name: sample.name,
            mediaType: sample.mediaType,
            detectedType: sample.detectedType,
            facts: facts,
            metaData: [:],
            acl: nil,
            createdAt: sample.createdAt
        )
        try await FileRecords(store).insert([record])
        return record
    }

    func text(_ record: FileRecord) async throws -> String? {
        guard let blob = try await target.blobs.open(record.key) else { return nil }
        return String(buffer: try await blob.read(at: 0, count: Int(blob.size)))
    }

    /// Runs a body with two empty storages.
    static func with(_ body: (BlobMoveFixture) async throws -> Void) async throws {
        try await Samples.withFolder { folder in
            let fixture = try BlobMoveFixture(in: folder)
            try await body(fixture)
            try fixture.database.close()
        }
    }
}
