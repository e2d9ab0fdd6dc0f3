import DiskBlobs
import Domain
import Foundation
import NIOPosix
import Support
import Testing

@testable import SQLiteStore
@testable import Server
@testable import Storage

/// An app with a database, blobs and a backup.
struct ContinuousBackupFixture {
    let storage: String
    let target: MemoryBackupTarget
    let store: SQLiteObjectStore
    let bytes: BlobStorage
    let backup: ContinuousBackup
    let layout: BackupLayout

    /// Uploads a file.
    @discardableResult
    func upload(_ text: String, as key: FileKey? = nil) async throws -> FileRecord {
        let name = try FileName("x.txt", limit: 255)
        let key = try key ?? FileKey.make(for: name, prefix: nil, keepingName: false)
        let record = FileRecord(
            id: ObjectIDGenerator().next(),
            key: key,
            name: name,
            mediaType: .jpeg,
            detectedType: nil,
            facts: try await bytes.store(text, as: key),
            metaData: [:],
            acl: nil,
            createdAt: .now()
        )
        try await FileRecords(store).insert([record])
        return record
    }

    func delete(_ record: FileRecord) async throws {
        _ = try await store.write { try $0.delete(record.id, in: .file) }
        try await bytes.blobs.remove(record.key)
    }

    func name(_ record: FileRecord) -> String {
        layout.object(of: FileEntry(id: record.id, key: record.key, facts: record.facts))
    }

    /// The names of the generations' objects whose names end so.
    func names(_ end: String) -> [String] {
        target.names.filter { $0.hasPrefix(layout.log) && $0.hasSuffix(end) }
    }

    /// The lines of the lists of blobs.
    func listed() throws -> Set<String> {
        let lists = try target.names.filter(layout.isBlobList).compactMap { try target.get($0, limit: 1 << 20) }
        return Set(lists.flatMap { String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init) })
    }

    /// Reads all segments of the newest generation, and checks the chain.
    func segments() throws -> Int {
        let manifest = try #require(names(GenerationPart.manifest.rawValue).last)
        let generation = try #require(layout.generation(of: manifest))
        let bytes = try #require(try target.get(manifest, limit: BackupManifest.maxSize))
        let base = try #require(BackupManifest(bytes)).database
        var link = try #require(SegmentLink(base: base))
        for name in names(SegmentName.segmentSuffix) where layout.generation(of: name) == generation {
            var decoder = SegmentDecoder()
            let bytes = try #require(try target.get(name, limit: 1 << 26))
            try bytes.withUnsafeBytes { try decoder.add($0) { _, _ in } }
            link = try link.followed(by: decoder.finish())
            #expect(SegmentName(name)?.number == link.number)
        }
        return link.number
    }

    /// Calls a body with the parts of a backup that has not begun.
    static func with(
        settings: ContinuousBackupSettings = ContinuousBackupSettings(),
        hasDeletedAll: Bool = false,
        _ body: (ContinuousBackupFixture) async throws -> Void
    ) async throws {
        try await Samples.withFolder { storage in
            let folder = "\(storage)/app"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let database = try SQLiteDatabase(path: "\(folder)/lcfile.sqlite")
            let app = try #require(AppID("app"))
            let target = MemoryBackupTarget()
            let backup = ContinuousBackup(
                of: app,
                in: storage,
                to: { target },
                version: "test",
                with: FolderEngine(),
                capturing: { LateCapture(of: database, hasDeletedAll: hasDeletedAll) },
                settings: settings
            )
            let bytes = BlobStorage(
                staging: try DiskStagingArea(folder: folder, pool: .singleton),
                blobs: try DiskBlobStore(folder: folder, pool: .singleton)
            )
            let store = SQLiteObjectStore(database)
            try await body(
                ContinuousBackupFixture(
                    storage: storage,
                    target: target,
                    store: store,
                    bytes: bytes,
                    backup: backup,
                    layout: BackupLayout(app)
                )
            )
            try backup.finish()
            try database.close()
        }
    }
}

/// A capture of a database in which all files can have been deleted since the moment of the base.
private final class LateCapture: ChangeCapture {
    private let base: DatabaseCapture
    private let hasDeletedAll: Bool

    init(of database: SQLiteDatabase, hasDeletedAll: Bool) {
        base = DatabaseCapture(of: database)
        self.hasDeletedAll = hasDeletedAll
    }

    func begin(
        copyingTo path: String,
        spool: String,
        maxSize: Int64,
        after floor: Timestamp?
    ) throws(OpenFailure) -> Timestamp {
        try base.begin(copyingTo: path, spool: spool, maxSize: maxSize, after: floor)
    }

    func advance() { base.advance() }

    func seal(number: Int, previous: [UInt8]) throws(OpenFailure) -> SealedSegment? {
        try base.seal(number: number, previous: previous)
    }

    func has(_ file: FileEntry) -> Bool { !hasDeletedAll && base.has(file) }

    func release(_ segment: SealedSegment) { base.release(segment) }

    func end() { base.end() }

    var progress: CaptureProgress { base.progress }
}
