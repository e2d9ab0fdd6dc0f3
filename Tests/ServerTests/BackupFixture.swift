import DiskBlobs
import Domain
import Foundation
import NIOPosix
import SQLiteStore
import Support
import Testing

@testable import Server
@testable import Storage

/// Folders of one test, and a storage with one app that has three files.
struct BackupFixture {
    let folder: String
    let records: [FileRecord]

    var storage: String { "\(folder)/storage" }
    var backup: String { "\(folder)/backup" }
    var restored: String { "\(folder)/restored" }

    func makeBackup() throws -> CopySummary {
        try StorageBackup(of: storage, to: backup, with: FolderEngine()).run()
    }

    func restore(comparingDigests: Bool = true) throws -> CopySummary {
        try StorageRestore(of: backup, to: restored, comparingDigests: comparingDigests, with: FolderEngine()).run()
    }

    func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    /// The blob in a storage folder or a backup that holds a text.
    func blob(holding text: String, in folder: String) throws -> String {
        let blobs = "\(folder)/app/blobs"
        let paths = try FileManager.default.subpathsOfDirectory(atPath: blobs).map { "\(blobs)/\($0)" }
        return try #require(paths.first { (try? String(contentsOfFile: $0, encoding: .utf8)) == text })
    }

    static func with(_ body: (BackupFixture) async throws -> Void) async throws {
        try await Samples.withFolder { folder in
            let app = "\(folder)/storage/app"
            try FileManager.default.createDirectory(atPath: app, withIntermediateDirectories: true)
            let database = try SQLiteDatabase(path: "\(app)/lcfile.sqlite")
            let blobs = try Backups.storage(in: app)
            var records: [FileRecord] = []
            for text in ["", "abc", "another"] {
                let record = try await Backups.store(text, in: blobs)
                records.append(record)
            }
            try await FileRecords(SQLiteObjectStore(database)).insert(records)
            // The database stays open, as that of a running server.
            try await body(BackupFixture(folder: folder, records: records))
            try database.close()
        }
    }

    static func expectRefusal(_ words: String..., by body: @escaping () throws -> CopySummary) {
        let error = #expect(throws: ExitError.self) { try body() }
        #expect(error?.exitCode == 73)
        for word in words { #expect(error?.description.contains(word) == true, "\(String(describing: error))") }
        #expect(error?.description.contains("\n") == false)
    }
}

/// What the fixture stores.
private enum Backups {
    static func storage(in folder: String) throws -> BlobStorage {
        BlobStorage(
            staging: try DiskStagingArea(folder: folder, pool: .singleton),
            blobs: try DiskBlobStore(folder: folder, pool: .singleton)
        )
    }

    static func store(_ text: String, in blobs: BlobStorage) async throws -> FileRecord {
        let name = try FileName("x.txt", limit: 255)
        let key = try FileKey.make(for: name, prefix: nil, keepingName: false)
        let facts = try await blobs.store(text, as: key)
        return FileRecord(
            id: ObjectIDGenerator().next(),
            key: key,
            name: name,
            mediaType: .jpeg,
            detectedType: nil,
            facts: facts,
            metaData: [:],
            acl: nil,
            createdAt: .now()
        )
    }
}
