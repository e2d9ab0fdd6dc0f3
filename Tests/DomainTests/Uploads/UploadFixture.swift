import Logging
import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// One app's uploads in memory, and servers that are started on them one after the other.
struct UploadFixture {
    let staging = MemoryStagingArea()
    let blobs = MemoryBlobStore()
    let clock = HeldClock()
    let people: SessionFixture

    init(store: MemoryObjectStore = MemoryObjectStore()) throws {
        people = try SessionFixture(store: store)
    }

    var store: MemoryObjectStore { people.store }

    /// A server that has just been started.
    func service(
        _ limits: UploadLimits = UploadLimits(partSize: 4),
        on staging: MemoryStagingArea? = nil,
        through store: (any ObjectStore)? = nil
    ) -> UploadService {
        UploadService(
            app: people.guest.app,
            limits: limits,
            storage: BlobStorage(staging: staging ?? self.staging, blobs: blobs),
            store: store ?? self.store,
            types: FixedTypes(),
            sessions: people.sessions,
            clock: { [clock] in clock.now }
        )
    }

    /// Announces an upload, as a guest unless a caller is named.
    func begin(
        on service: UploadService,
        size: Int64? = nil,
        metaData: [String: JSONValue] = [:],
        kind: StoredUpload.Kind = .file,
        finishingOnLastByte finishesOnLastByte: Bool = false,
        as caller: Caller? = nil
    ) async throws -> (upload: StoredUpload, token: UploadToken) {
        let description = UploadDescription(name: try FileName("a.txt", limit: 255), metaData: metaData)
        var announcement = UploadAnnouncement(description, kind: kind, size: size)
        announcement.finishesOnLastByte = finishesOnLastByte
        return try await service.announce(announcement, as: caller ?? people.guest)
    }

    /// The same, for tests that need the token only.
    func token(
        on service: UploadService,
        size: Int64? = nil,
        metaData: [String: JSONValue] = [:],
        kind: StoredUpload.Kind = .file,
        as caller: Caller? = nil
    ) async throws -> UploadToken {
        try await begin(on: service, size: size, metaData: metaData, kind: kind, as: caller).token
    }

    /// The bytes of a file; nothing if there are none.
    func text(of key: FileKey) async throws -> String? {
        guard let blob = try await blobs.open(key) else { return nil }
        return String(buffer: try await blob.read(at: 0, count: Int(blob.size)))
    }

    func write(_ text: String, to staged: any StagedBlob) async throws {
        let writer = staged.write(at: 0, digesting: [])
        try await writer.append(ByteBuffer(string: text))
        _ = try await writer.finish()
    }

    var storage: BlobStorage { BlobStorage(staging: staging, blobs: blobs) }

    /// Commits a text as a file whose row is not stored yet, as a server that ends then leaves it.
    func commit(_ text: String, from staged: any StagedBlob, as key: FileKey, of file: ObjectID) async throws {
        try await write(text, to: staged)
        let facts = try await staged.finish(size: Int64(text.utf8.count), needsMD5: false).blob
        try await storage.commit(staged, facts, as: key, of: file)
    }

    func usage() async throws -> Usage {
        try await store.read { try $0.usage() }
    }

    /// Says who may make files: JSON strings, with commas between.
    func allowCreating(_ entries: String) async throws {
        let change = try PermissionChange(people.json(#"{"create":[\#(entries)]}"#))
        let service = PermissionService(store: store, limits: ObjectLimits())
        _ = try await service.change(of: .file, by: change, as: people.master)
    }
}

/// A clock that goes on when it is told to.
final class HeldClock: Sendable {
    private let time = Mutex(Timestamp(milliseconds: 1_700_000_000_000))

    var now: Timestamp { time.withLock(\.self) }

    func pass(seconds: Int) {
        time.withLock { $0 = $0.adding(seconds: seconds) }
    }
}

/// A body whose second half comes when it may.
final class SlowBody: Sendable {
    let begun = Gate()
    let mayGoOn = Gate()
    private let first: String
    private let second: String

    init(_ first: String, _ second: String = "") {
        self.first = first
        self.second = second
    }

    func send(to sink: PartSink) async throws {
        try await sink.append(ByteBuffer(string: first))
        begun.open()
        await mayGoOn.wait()
        try Task.checkCancellation()
        try await sink.append(ByteBuffer(string: second))
    }
}

extension UploadService {
    /// Concatenates pieces; gives the final upload and its token.
    func concatenate(
        _ announcement: UploadAnnouncement,
        of tokens: [UploadToken],
        as caller: Caller
    ) async throws -> (upload: StoredUpload, token: UploadToken) {
        try await concatenate(announcement, of: tokens, as: caller) { (upload: $0.stored, token: $1) }
    }

    /// Sends all bytes in one request.
    func put(
        _ text: String,
        _ token: UploadToken,
        saying digests: [DigestKind: [UInt8]] = [:],
        breaking: Bool = false
    ) async throws -> FileRecord {
        try await using(token) { upload in
            try await upload.receiveAll(announced: nil) { sink in
                try await sink.append(ByteBuffer(string: text))
                if breaking { throw Broken() }
                return digests
            }
        }
    }

    func put(_ body: SlowBody, _ token: UploadToken) async throws -> FileRecord {
        try await using(token) { upload in
            try await upload.receiveAll(announced: nil) { sink in
                try await body.send(to: sink)
                return [:]
            }
        }
    }

    func cancel(_ token: UploadToken) async throws {
        try await using(token) { try await $0.cancel() }
    }

    /// Sends a part; as many bytes are announced as there are, unless it is said.
    func part(
        _ number: Int,
        _ text: String,
        _ token: UploadToken,
        size: Int64? = nil,
        saying digests: [DigestKind: [UInt8]] = [:]
    ) async throws -> UploadHandle.PartReceipt {
        let size = size ?? Int64(text.utf8.count)
        return try await using(token) { upload in
            try await upload.receivePart(number, size: size, expecting: digests) { sink in
                try await sink.append(ByteBuffer(string: text))
            }
        }
    }

    /// Sends parts one after the other; gives what names them in the end, in the order of their numbers.
    func send(_ parts: [(Int, String)], _ token: UploadToken) async throws -> [(number: Int, tag: String)] {
        var claims: [(number: Int, tag: String)] = []
        for (number, text) in parts {
            let tag = try await part(number, text, token).tag
            claims.append((number: number, tag: tag))
        }
        return claims.sorted { $0.number < $1.number }
    }

    func finish(_ claims: [(number: Int, tag: String)], _ token: UploadToken) async throws -> FileRecord {
        try await using(token) { try await $0.finish(claims) }
    }

    func beginBlock(
        of size: Int64,
        _ text: String,
        _ token: UploadToken
    ) async throws -> UploadHandle.ChunkReceipt {
        try await using(token) { upload in
            try await upload.beginBlock(size: size) { sink in
                try await sink.append(ByteBuffer(string: text))
            }
        }
    }

    func chunk(
        _ text: String,
        _ context: String,
        at offset: Int64,
        _ token: UploadToken
    ) async throws -> UploadHandle.ChunkReceipt {
        try await using(token) { upload in
            try await upload.continueBlock(context, at: offset) { sink in
                try await sink.append(ByteBuffer(string: text))
            }
        }
    }

    /// Sends a whole block in chunks; gives its last context.
    func block(_ chunks: [String], _ token: UploadToken) async throws -> String {
        let size = Int64(chunks.joined().utf8.count)
        var receipt = try await beginBlock(of: size, chunks[0], token)
        for text in chunks.dropFirst() {
            receipt = try await chunk(text, receipt.context, at: receipt.offset, token)
        }
        return receipt.context
    }

    func makeFile(_ contexts: [String], size: Int64, _ token: UploadToken) async throws -> FileRecord {
        try await using(token) { try await $0.finishBlocks(contexts.map { $0[...] }, size: size) }
    }

    /// Appends bytes, perhaps with a digest of them.
    func append(
        _ text: String,
        at offset: Int64,
        _ token: UploadToken,
        saying digest: AnnouncedDigest? = nil,
        sized size: Int64? = nil,
        breaking: Bool = false
    ) async throws -> Int64 {
        let kinds = Set([digest?.kind].compactMap(\.self))
        return try await using(token) { upload in
            try await upload.append(at: offset, sized: size, announced: nil, digesting: kinds) { sink in
                try await sink.append(ByteBuffer(string: text))
                if breaking { throw Broken() }
                return digest
            }
        }
    }

    func append(_ body: SlowBody, at offset: Int64, _ token: UploadToken) async throws -> Int64 {
        try await using(token) { upload in
            try await upload.append(at: offset, announced: nil, digesting: []) { sink in
                try await body.send(to: sink)
                return nil
            }
        }
    }
}

extension Usage {
    init(bytes: Int64 = 0, files: Int64 = 0, announced: Int64 = 0, uploads: Int64 = 0) {
        self.init()
        self.bytes = bytes
        self.files = files
        self.announced = announced
        self.uploads = uploads
    }
}

/// Expects that an action is refused with a code.
func expectRefusal<Value>(
    _ code: ServiceError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    of action: () async throws -> Value
) async {
    do {
        _ = try await action()
        Issue.record("Nothing was refused.", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? ServiceError)?.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}
