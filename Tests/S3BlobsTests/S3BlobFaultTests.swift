import Domain
import NIOCore
import S3
import Support
import Synchronization
import Testing

@testable import S3Blobs

/// A store that fails now and then, or for good.
@Suite("Faults of the store", .enabled(if: S3Fixture.isThere, "no S3_ENDPOINT"))
struct S3BlobFaultTests {
    private func withProxy<Result>(
        _ fault: @escaping @Sendable (_ request: ReceivedRequest, _ number: Int) -> S3Proxy.Fault,
        layout: S3BlobLayout = S3Fixture.layout(),
        settings: S3BlobSettings = S3BlobSettings(),
        _ body: (_ store: S3BlobStore, _ proxy: S3Proxy) async throws -> Result
    ) async throws -> Result {
        let proxy = try S3Proxy(fault)
        defer { proxy.close() }
        let client = try S3Fixture.client(at: proxy.url) { ($0.attempts, $0.idleTimeout) = (3, 1) }
        return try await S3Fixture.withStore(client, layout: layout, settings: settings) { try await body($0, proxy) }
    }

    @Test(
        "each second request fails, and everything succeeds",
        arguments: [
            .refused(503, code: "SlowDown"), .refused(500, code: "InternalError"), .refused(0), .unanswered, .half,
        ] as [S3Proxy.Fault]
    )
    func repeats(fault: S3Proxy.Fault) async throws {
        let bytes = S3Fixture.pattern(100_000)
        let faults: @Sendable (ReceivedRequest, Int) -> S3Proxy.Fault = { $1 % 2 == 1 ? fault : .none }
        try await withProxy(faults) { store, _ in
            let key = try S3Fixture.key()
            let blob = TrashedBlob(entry: ObjectIDGenerator().next(), key: key)
            try await store.put(bytes, as: key)
            #expect(try await store.bytes(key) == bytes)
            #expect(try await store.moveToTrash([blob]).allSatisfy { $0 == nil })
            #expect(try await store.open(key) == nil)
            #expect(try await store.restore(blob))
            #expect(try await store.bytes(key) == bytes)
            #expect(try await store.removeFromTrash([blob.entry]).allSatisfy { $0 == nil })
            #expect(try await store.remove([key]).allSatisfy { $0 == nil })
            #expect(try S3Fixture.objects(store.bucket.layout).isEmpty)
        }
    }

    @Test(
        "a large blob is read whole from a store that fails each second request",
        arguments: [.half, .refused(503)] as [S3Proxy.Fault]
    )
    func repeatsPieces(fault: S3Proxy.Fault) async throws {
        let bytes = S3Fixture.pattern(100_000)
        let faults: @Sendable (ReceivedRequest, Int) -> S3Proxy.Fault = { $1 % 2 == 1 ? fault : .none }
        try await withProxy(faults, settings: .sizes(whole: 1000, piece: 30_000)) { store, _ in
            let key = try S3Fixture.key()
            try await store.put(bytes, as: key)
            let blob = try #require(try await store.open(key))
            var read = ByteBuffer()
            for try await piece in blob.pieces(of: 0..<100_000) { read.writeImmutableBuffer(piece) }
            #expect(read == bytes)
            #expect(!blob.isDamaged)
        }
    }

    @Test("an answer that stops is left after the idle time, and the rest is requested again")
    func stalls() async throws {
        let bytes = S3Fixture.pattern(100_000)
        let hasStalled = Atomic(false)
        let fault: @Sendable (ReceivedRequest, Int) -> S3Proxy.Fault = { request, _ in
            let isBlob = request.method == "GET" && request.path.contains("/blobs/")
            guard isBlob, request.headers["range"] == nil else { return .none }
            hasStalled.store(true, ordering: .relaxed)
            return .stalled
        }
        try await withProxy(fault) { store, proxy in
            let key = try S3Fixture.key()
            try await store.put(bytes, as: key)
            #expect(try await store.bytes(key) == bytes)
            let isStalled = hasStalled.load(ordering: .relaxed)
            #expect(isStalled)
            #expect(proxy.requests.contains { $0.headers["range"] == "bytes=50000-99999" })
        }
    }

    @Test("a store that cannot be reached is 503, never a missing blob")
    func unreachable() async throws {
        let isDown = Atomic(false)
        let fault: @Sendable (ReceivedRequest, Int) -> S3Proxy.Fault = { _, _ in
            isDown.load(ordering: .relaxed) ? .refused(503) : .none
        }
        try await withProxy(fault) { store, _ in
            let (known, unknown) = (try S3Fixture.key(), try S3Fixture.key())
            try await store.put(ByteBuffer(string: "bytes"), as: known)
            #expect(try await store.open(known) != nil)
            isDown.store(true, ordering: .relaxed)
            for key in [known, unknown] { await expectFailure(.unavailable) { try await store.open(key) } }
            await expectFailure(.unavailable) { try await store.put(ByteBuffer(string: "b"), as: unknown) }
            #expect(
                try await store.remove([known, unknown]).map { ($0 as? ServiceError)?.code }
                    == [.unavailable, .unavailable]
            )
            isDown.store(false, ordering: .relaxed)
            #expect(try await store.bytes(known) == ByteBuffer(string: "bytes"))
        }
    }

    @Test("404 of anything but an object is no missing blob", arguments: ["", "NoSuchBucket", "AccessDenied"])
    func otherMissing(code: String) async throws {
        let fault: @Sendable (ReceivedRequest, Int) -> S3Proxy.Fault = { _, _ in .refused(404, code: code) }
        try await withProxy(fault) { store, _ in
            await expectFailure(.storageFailing) { try await store.open(try S3Fixture.key()) }
        }
    }

    @Test("a put whose every answer is lost leaves nothing that a reader sees, and its undo leaves nothing")
    func lostAnswers() async throws {
        let layout = S3Fixture.layout()
        let (key, file) = (try S3Fixture.key(), ObjectIDGenerator().next())
        let fault: @Sendable (ReceivedRequest, Int) -> S3Proxy.Fault = { request, _ in
            request.method == "PUT" && !request.path.hasSuffix(".claim") ? .unanswered : .none
        }
        try await withProxy(fault, layout: layout) { store, _ in
            let bytes = ByteBuffer(string: "bytes")
            await expectFailure(.unavailable) { try await store.put(bytes, as: key, of: file) }
            #expect(try S3Fixture.objects(layout).count == 2)
            #expect(try await store.open(key) == nil)
            try await store.undo(try await MemoryStagingArea().stage(), as: BlobName(key), of: file)
            #expect(try S3Fixture.objects(layout).isEmpty)
        }
    }

    @Test("an upload in parts that fails is aborted, and one that a dead server left is found")
    func abortsParts() async throws {
        let layout = S3Fixture.layout()
        let fault: @Sendable (ReceivedRequest, Int) -> S3Proxy.Fault = { request, _ in
            request.path.contains("partNumber=2") ? .refused(403, code: "AccessDenied") : .none
        }
        let settings = S3BlobSettings.sizes(single: 1 << 20, part: 8 << 20)
        try await withProxy(fault, layout: layout, settings: settings) { store, _ in
            let (key, file) = (try S3Fixture.key(), ObjectIDGenerator().next())
            let bytes = ByteBuffer(repeating: 7, count: 9 << 20)
            await expectFailure(.storageFailing) { try await store.put(bytes, as: key, of: file) }
            let client = try S3Fixture.client()
            #expect(try client.uploads(prefix: layout.root).isEmpty)
            let name = layout.name(of: BlobName(key), file)
            for isUndone in [true, false] {
                let upload = try client.begin(name, headers: [])
                _ = try client.put(S3Content([1, 2, 3]), as: 1, of: upload)
                #expect(try client.uploads(prefix: layout.root).map(\.id) == [upload.id])
                if isUndone {
                    try await store.undo(try await MemoryStagingArea().stage(), as: BlobName(key), of: file)
                } else {
                    #expect(try await store.abortUploads(olderThan: 3600) == 0)
                    #expect(try await store.abortUploads(olderThan: -60) == 1)
                }
                #expect(try client.uploads(prefix: layout.root).isEmpty)
            }
            #expect(try S3Fixture.objects(layout).isEmpty)
        }
    }

    @Test("bytes that the store has changed are never served")
    func changedBytes() async throws {
        try await S3Fixture.withStore { store in
            let (key, file) = (try S3Fixture.key(), ObjectIDGenerator().next())
            try await store.put(ByteBuffer(string: "right"), as: key, of: file)
            let name = store.bucket.layout.name(of: BlobName(key), file)
            let found = try #require(try store.bucket.client.head(name))
            let metadata = found.metadata.map { (name: "x-amz-meta-\($0.key)", value: $0.value) }
            #expect(metadata.count == 1)
            try store.bucket.client.put(name, S3Content(Array("wrong".utf8)), headers: metadata)
            await expectFailure(.internalFailure) { try await store.open(key) }
            #expect(store.cache.size == 0)
            try store.bucket.client.put(name, S3Content(Array("right".utf8)), headers: metadata)
            #expect(try await store.bytes(key) == ByteBuffer(string: "right"))
        }
    }

    @Test("of a blob that is read while it arrives, the last bytes are withheld if the store has changed any")
    func changedBytesOfFollowed() async throws {
        try await S3Fixture.withStore { store in
            let (key, file) = (try S3Fixture.key(), ObjectIDGenerator().next())
            let bytes = S3Fixture.pattern(3 << 20)
            try await store.put(bytes, as: key, of: file)
            let name = store.bucket.layout.name(of: BlobName(key), file)
            let found = try #require(try store.bucket.client.head(name))
            let metadata = found.metadata.map { (name: "x-amz-meta-\($0.key)", value: $0.value) }
            var changed = bytes
            changed.setInteger(changed.getInteger(at: 0, as: UInt8.self)! ^ 1, at: 0)
            try store.bucket.client.put(name, S3Content(Array(changed.readableBytesView)), headers: metadata)
            let blob = try #require(try await store.open(key))
            var read = 0
            await expectFailure(.internalFailure) {
                for try await piece in blob.pieces(of: 0..<blob.size) { read += piece.readableBytes }
            }
            #expect(read < bytes.readableBytes)
            #expect(blob.isDamaged && store.cache.size == 0)
        }
    }

    @Test("staged bytes that are not those of the facts are not stored", arguments: [1 << 20, 9 << 20])
    func otherFacts(size: Int) async throws {
        try await S3Fixture.withStore(settings: .sizes(single: 2 << 20, part: 8 << 20)) { store in
            let staged = try await MemoryStagingArea().stage()
            let writer = staged.write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(repeating: 7, count: size))
            _ = try await writer.finish()
            let (key, file) = (try S3Fixture.key(), ObjectIDGenerator().next())
            for digest in [.contentHash("lsomething"), .sha256(String(repeating: "0", count: 64))] as [BlobDigest] {
                let facts = BlobFacts(size: Int64(size), digest: digest, md5: nil)
                await expectFailure(.internalFailure) { try await store.put(staged, facts, as: key, of: file) }
                #expect(try await store.open(key) == nil)
                try await store.undo(staged, as: BlobName(key), of: file)
            }
            #expect(try S3Fixture.objects(store.bucket.layout).isEmpty)
        }
    }
}
