import DiskBlobs
import Domain
import Foundation
import NIOPosix
import SQLiteStore
import Support
import Testing

@testable import Server
@testable import Storage

/// A storage folder with one app whose database is open, and a repository in memory.
struct RepositoryFixture {
    let folder: String
    let app: AppID
    let target = MemoryBackupTarget()
    private let store: SQLiteObjectStore
    private let bytes: BlobStorage

    var storage: String { "\(folder)/storage" }
    var restored: String { "\(folder)/restored" }
    var blobs: [String] { target.names.filter { $0.hasPrefix("app/blobs/") } }

    static func with(_ body: (RepositoryFixture) async throws -> Void) async throws {
        try await Samples.withFolder { folder in
            let app = "\(folder)/storage/app"
            try FileManager.default.createDirectory(atPath: app, withIntermediateDirectories: true)
            let database = try SQLiteDatabase(path: "\(app)/lcfile.sqlite")
            let fixture = RepositoryFixture(
                folder: folder,
                app: try #require(AppID("app")),
                store: SQLiteObjectStore(database),
                bytes: BlobStorage(
                    staging: try DiskStagingArea(folder: app, pool: .singleton),
                    blobs: try DiskBlobStore(folder: app, pool: .singleton)
                )
            )
            try await body(fixture)
            try database.close()
        }
    }

    private init(folder: String, app: AppID, store: SQLiteObjectStore, bytes: BlobStorage) {
        self.folder = folder
        self.app = app
        self.store = store
        self.bytes = bytes
    }

    /// Uploads a file for each text.
    @discardableResult
    func store(_ texts: [String]) async throws -> [FileRecord] {
        var records: [FileRecord] = []
        for text in texts {
            let key = try FileKey.make(for: FileName("x.txt", limit: 255), prefix: nil, keepingName: false)
            let facts = try await bytes.store(text, as: key)
            let record = FileRecord(
                id: ObjectIDGenerator().next(),
                key: key,
                name: try FileName("x.txt", limit: 255),
                mediaType: .jpeg,
                detectedType: nil,
                facts: facts,
                metaData: [:],
                acl: nil,
                createdAt: .now()
            )
            records.append(record)
        }
        try await FileRecords(store).insert(records)
        return records
    }

    /// Deletes a file, its bytes last.
    func delete(_ record: FileRecord) async throws {
        _ = try await store.write { try $0.delete(record.id, in: .file) }
        try await bytes.blobs.remove(record.key)
    }

    /// Changes the first byte of a blob.
    func damageBlob(of record: FileRecord) throws {
        let name = BlobName(record.key).description
        let path = "\(storage)/app/blobs/\(name.prefix(2))/\(name)"
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[0] ^= 1
        try bytes.write(to: URL(filePath: path))
    }

    func backUp() throws -> RepositorySummary {
        let repository = try BackupRepository(target, creating: true)
        return try RepositoryBackup(of: storage, to: repository, version: "test", with: FolderEngine()).run()
    }

    func restore(at moment: String? = nil, leavingOutDamage: Bool = false) throws -> CopySummary {
        try restoration(at: moment, leavingOutDamage: leavingOutDamage).summary
    }

    /// Restores to a new folder, and tells which states.
    func restoration(
        at moment: String? = nil,
        leavingOutDamage: Bool = false
    ) throws -> (summary: CopySummary, states: [String]) {
        try? FileManager.default.removeItem(atPath: restored)
        return try RepositoryRestore(
            of: BackupRepository(target),
            to: restored,
            at: moment,
            comparingDigests: true,
            leavingOutDamage: leavingOutDamage,
            with: FolderEngine()
        ).run()
    }

    /// Keeps the newest snapshot, and the moments of some seconds.
    func retain(dryRun: Bool = false, moments: Int64? = nil, patience: Int = 0) throws -> RetentionSummary {
        var rules = RetentionRules()
        rules.last = 1
        rules.moments = moments
        let repository = try BackupRepository(target)
        let retention = RepositoryRetention(of: repository, rules, with: FolderEngine(), patience: patience)
        return try dryRun ? retention.trial() : retention.run()
    }

    func verification(reading subset: CheckSubset?) throws -> VerificationSummary {
        try RepositoryVerification(of: BackupRepository(target), reading: subset, with: FolderEngine()).run()
    }

    /// The numbers of damaged files, of damaged snapshots and of all snapshots.
    func verify() throws -> (Int, Int, Int) {
        let summary = try verification(reading: nil)
        return (summary.damagedFiles, summary.damagedSnapshots, summary.snapshots)
    }

    func expectRefusal<Value>(
        _ code: Int32,
        _ words: String...,
        sourceLocation: SourceLocation = #_sourceLocation,
        by body: () throws -> Value
    ) {
        do {
            _ = try body()
            Issue.record("It was not refused.", sourceLocation: sourceLocation)
        } catch {
            let error = error as? ExitError
            #expect(error?.exitCode == code, sourceLocation: sourceLocation)
            for word in words {
                let text = error?.description ?? ""
                #expect(text.contains(word), "\(text)", sourceLocation: sourceLocation)
            }
        }
    }
}
