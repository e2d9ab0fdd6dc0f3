import Logging
import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// One app's files in memory, and servers that delete them, started one after the other on the same storage.
struct DeletionFixture {
    let uploads: UploadFixture
    let derivatives = MemoryDerivativeStore()
    let log = LogLines()
    /// How long deleted files stay in the trash.
    let trash: TrashSettings

    init(trash: TrashSettings = TrashSettings()) throws {
        uploads = try UploadFixture()
        self.trash = trash
    }

    var store: MemoryObjectStore { uploads.store }
    var blobs: MemoryBlobStore { uploads.blobs }
    var master: Caller { uploads.people.master }

    /// What a server has that has just been started.
    struct Server {
        let blobs: any BlobStore
        let files: FileService
        let deletions: FileDeletions
        let objects: ObjectService
        let uploads: UploadService
    }

    /// Starts a server; one that dies has another store or other blobs.
    func server(_ blobs: any BlobStore) -> Server { server(on: nil, blobs) }

    /// Starts a server; one that dies has another store or other blobs.
    func server(on store: (any ObjectStore)? = nil, _ blobs: (any BlobStore)? = nil) -> Server {
        let (store, blobs): (any ObjectStore, any BlobStore) = (store ?? self.store, blobs ?? self.blobs)
        let files = FileService(files: FileRecords(store), blobs: blobs)
        let deletions = FileDeletions(
            app: master.app,
            store: store,
            blobs: blobs,
            derivatives: derivatives,
            files: files,
            backoff: Backoff(first: .milliseconds(1), max: .milliseconds(4)),
            logger: Logger(label: "test") { [log] _ in LineHandler(lines: log) }
        )
        let settings = uploads.people.objects.settings.copy(trash: trash)
        return Server(
            blobs: blobs,
            files: files,
            deletions: deletions,
            objects: ObjectService(store: store, settings: settings),
            uploads: UploadService(
                app: master.app,
                limits: UploadLimits(),
                storage: BlobStorage(staging: uploads.staging, blobs: blobs),
                store: store,
                types: FixedTypes(),
                sessions: uploads.people.sessions,
                deletions: deletions
            )
        )
    }

    /// Stores files, each with a derivative.
    func insert(_ count: Int) async throws -> [FileRecord] {
        let records = try (0..<count).map { _ in try Samples.record() }
        for record in records {
            _ = try await blobs.store("abc", as: record.key)
            try await derivatives.store(ByteBuffer(string: "small"), as: .png, under: name(record.key))
        }
        try await FileRecords(store).insert(records)
        return records
    }

    func name(_ key: FileKey) -> DerivativeName {
        DerivativeName(source: key.description, request: "w/1")
    }

    func delete(_ records: [FileRecord], on server: Server) async throws {
        let command = ObjectCommand(.file, .delete(records.map(\.id), where: nil))
        _ = try await server.objects.perform(command, as: master)
    }

    /// Uploads a file under a key that the master chooses.
    func upload(_ text: String, as key: String, on server: Server) async throws -> FileRecord {
        let token = try await announce(key, on: server)
        return try await server.uploads.put(text, token)
    }

    func announce(_ key: String, on server: Server) async throws -> UploadToken {
        let description = UploadDescription(name: try FileName("a.txt", limit: 255))
        let announcement = UploadAnnouncement(description, key: key, size: nil)
        return try await server.uploads.announce(announcement, as: master).token
    }

    /// How many records, rows of the queue, blobs and derivatives there are.
    var counts: [Int] {
        [store.count(of: .file), store.count(of: .deletion), blobs.count, derivatives.count]
    }
}

/// Lines of a log, as "level message".
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock(\.self) }

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}

private struct LineHandler: LogHandler {
    let lines: LogLines
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    init(lines: LogLines) {
        self.lines = lines
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let error = event.metadata?["error"].map { " \($0)" } ?? ""
        lines.add("\(event.level) \(event.message)\(error)")
    }
}

/// A step of a removal behind which the server dies: nothing that it would do then happens.
enum DeathAfter: CaseIterable {
    case transaction
    case blobs
    case derivatives
    case rows
}

extension HookedStore {
    /// The objects of a server that dies once it removes rows, or just behind that.
    static func dying(after death: DeathAfter, on base: MemoryObjectStore) -> HookedStore {
        HookedStore(
            base,
            beforeWrite: { if death == .derivatives { throw CancellationError() } },
            afterWrite: { if death == .rows { throw CancellationError() } }
        )
    }
}

/// The blobs of a server that dies once it removes some, or just behind that.
struct DyingBlobStore: BlobStore {
    let base: MemoryBlobStore
    let death: DeathAfter

    func put(
        _ staged: any StagedBlob,
        _ facts: BlobFacts,
        as key: FileKey,
        of file: ObjectID
    ) async throws {
        try await base.put(staged, facts, as: key, of: file)
    }

    func undo(_ staged: any StagedBlob, as blob: BlobName, of file: ObjectID) async throws {
        try await base.undo(staged, as: blob, of: file)
    }

    func open(_ blob: FileBlob) async throws -> (any OpenBlob)? { try await base.open(blob) }

    func remove(_ blobs: [FileBlob]) async throws -> [(any Error)?] {
        if death == .transaction { throw CancellationError() }
        let failures = try await base.remove(blobs)
        if death == .blobs { throw CancellationError() }
        return failures
    }

    func moveToTrash(_ blobs: [TrashedBlob]) async throws -> [(any Error)?] {
        if death == .transaction { throw CancellationError() }
        let failures = try await base.moveToTrash(blobs)
        if death == .blobs { throw CancellationError() }
        return failures
    }

    func restore(_ blob: TrashedBlob) async throws -> Bool {
        if death == .transaction { throw CancellationError() }
        let isThere = try await base.restore(blob)
        if death == .blobs { throw CancellationError() }
        return isThere
    }

    func open(trashed entry: ObjectID) async throws -> (any OpenBlob)? { try await base.open(trashed: entry) }

    func removeFromTrash(_ entries: [ObjectID]) async throws -> [(any Error)?] {
        if death == .transaction { throw CancellationError() }
        let failures = try await base.removeFromTrash(entries)
        if death == .blobs { throw CancellationError() }
        return failures
    }
}
