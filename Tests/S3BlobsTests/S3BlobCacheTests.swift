import Crypto
import DiskBlobs
import Dispatch
import Domain
import FoundationEssentials
import Glibc
import NIOCore
import NIOPosix
import S3
import Support
import Testing

@testable import S3Blobs

/// What the cache saves, and what it must not serve.
@Suite("The cache of blobs", .enabled(if: S3Fixture.isThere, "no S3_ENDPOINT"))
struct S3BlobCacheTests {
    /// Runs a body with a store behind a proxy that counts, and with the folder of its cache.
    private func withStore(
        bound: Int64 = 1 << 30,
        settings: S3BlobSettings = S3BlobSettings(),
        _ body: (_ store: S3BlobStore, _ proxy: S3Proxy, _ folder: String) async throws -> Void
    ) async throws {
        let proxy = try S3Proxy { _, _ in .none }
        defer { proxy.close() }
        try await Samples.withFolder { folder in
            let store = S3BlobStore(
                try S3Fixture.client(at: proxy.url),
                layout: S3Fixture.layout(),
                cache: try S3FileCache(folder: "\(folder)/cache", bound: bound),
                pool: .singleton,
                settings: settings
            )
            try await body(store, proxy, "\(folder)/cache")
        }
    }

    private func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
    }

    @Test("many that open a blob at once share one fetch, and later ones need none")
    func sharedFetch() async throws {
        try await withStore { store, proxy, _ in
            let key = try S3Fixture.key()
            let bytes = S3Fixture.pattern(300_000)
            try await store.put(bytes, as: key)
            try await withThrowingTaskGroup(of: ByteBuffer?.self) { group in
                for _ in 0..<12 { group.addTask { try await store.bytes(key) } }
                for try await read in group { #expect(read == bytes) }
            }
            #expect(proxy.reads == 1)
            let blob = try #require(try await store.open(key))
            guard case .file = blob.local else { return #expect(Bool(false), "not a file") }
            #expect(proxy.reads == 1)
        }
    }

    @Test("while puts hang on all their threads, blobs are fetched and read from the cache", .timeLimit(.minutes(1)))
    func hangingPuts() async throws {
        try await Samples.withFolder { folder in
            let puts = NIOThreadPool(numberOfThreads: 1)
            puts.start()
            let store = S3BlobStore(
                try S3Fixture.client(),
                layout: S3Fixture.layout(),
                cache: try S3FileCache(folder: "\(folder)/cache", bound: 1 << 30),
                pool: puts,
                reads: .singleton
            )
            let key = try S3Fixture.key()
            let bytes = S3Fixture.pattern(10_000)
            try await store.put(bytes, as: key)
            let end = DispatchSemaphore(value: 0)
            puts.submit { _ in end.wait() }
            for _ in 1...2 { #expect(try await store.bytes(key) == bytes) }
            end.signal()
            try await puts.shutdownGracefully()
        }
    }

    @Test("a damaged file of the cache is fetched again", arguments: [true, false])
    func damage(isTruncated: Bool) async throws {
        try await withStore { store, proxy, folder in
            let key = try S3Fixture.key()
            let bytes = S3Fixture.pattern(10_000)
            try await store.put(bytes, as: key)
            #expect(try await store.bytes(key) == bytes)
            let file = try #require(try files(folder).first)
            let damaged = isTruncated ? Data(bytes.readableBytesView.dropLast()) : Data(repeating: 0, count: 10_000)
            try damaged.write(to: URL(filePath: file))
            #expect(try await store.bytes(key) == bytes)
            #expect(proxy.reads == 2)
            #expect(try await store.bytes(key) == bytes)
            #expect(proxy.reads == 2)
        }
    }

    @Test("files survive a restart, except damaged and unfinished ones")
    func restart() async throws {
        try await withStore { store, proxy, folder in
            let keys = [try S3Fixture.key(), try S3Fixture.key()]
            for (number, key) in keys.enumerated() {
                try await store.put(S3Fixture.pattern(1000 + number), as: key)
                _ = try await store.open(key)
            }
            let sizes = try files(folder).map { try Data(contentsOf: URL(filePath: $0)) }
            #expect(sizes.map(\.count).sorted() == [1000, 1001])
            let victim = try #require(try files(folder).first { try Data(contentsOf: URL(filePath: $0)).count == 1000 })
            try Data(repeating: 1, count: 1000).write(to: URL(filePath: victim))
            try Data([1]).write(to: URL(filePath: "\(folder)/fetch-unfinished"))
            let next = S3BlobStore(
                store.bucket.client,
                layout: store.bucket.layout,
                cache: try S3FileCache(folder: folder, bound: 1 << 30),
                pool: .singleton
            )
            #expect(next.cache.size == 2001)
            #expect(try files(folder).count == 2)
            for (number, key) in keys.enumerated() {
                #expect(try await next.bytes(key) == S3Fixture.pattern(1000 + number))
            }
            #expect(proxy.reads == 3)
        }
    }

    @Test("the cache stays within its bound, and drops what was not used for the longest time")
    func eviction() async throws {
        try await withStore(bound: 5000) { store, proxy, folder in
            let keys = try (0..<6).map { _ in try S3Fixture.key() }
            for key in keys { try await store.put(S3Fixture.pattern(1000), as: key) }
            for key in keys.prefix(5) { _ = try await store.open(key) }
            _ = try await store.open(keys[0])
            let open = try #require(try await store.open(keys[1]))
            _ = try await store.open(keys[0])
            _ = try await store.open(keys[5])
            #expect(store.cache.size <= 5000)
            #expect(try files(folder).count == Int(store.cache.size / 1000))
            let reads = proxy.reads
            _ = try await store.open(keys[0])
            _ = try await store.open(keys[5])
            #expect(proxy.reads == reads)
            _ = try await store.open(keys[2])
            #expect(proxy.reads == reads + 1)
            #expect(try await open.read(at: 0, count: 1000) == S3Fixture.pattern(1000))
        }
    }

    @Test("without the disk of the cache blobs are read from the store", arguments: [0, 64 << 20] as [Int64])
    func withoutDisk(wholeSize: Int64) async throws {
        try await withStore(settings: .sizes(whole: wholeSize, piece: 64 << 10)) { store, _, folder in
            let key = try S3Fixture.key()
            let bytes = S3Fixture.pattern(200_000)
            try await store.put(bytes, as: key)
            try FileManager.default.removeItem(atPath: folder)
            let blob = try #require(try await store.open(key))
            #expect(blob.local == nil)
            var read = ByteBuffer()
            for try await piece in blob.pieces(of: 10..<199_999) { read.writeImmutableBuffer(piece) }
            #expect(read == bytes.getSlice(at: 10, length: 199_989))
        }
    }

    @Test("if the disk of the cache fails while a blob arrives, the rest is read from the store")
    func failingDisk() async throws {
        try await withStore(settings: .sizes(whole: 0, piece: 1 << 20)) { store, _, folder in
            let key = try S3Fixture.key()
            let bytes = S3Fixture.pattern(2 << 20)
            try await store.put(bytes, as: key)
            let remote = try #require(try await store.open(key) as? S3LargeBlob)
            let arrival = S3Arrival()
            let stored = S3StoredBlob(plain: try #require(try S3Fixture.objects(of: store).first))
            let blob = S3CachedBlob(arrival, of: stored, or: remote, threads: store.threads)
            let writer = try S3CacheWriter("\(folder)/part", arrival)
            _ = try writer.fill(0..<(1 << 20), of: stored, from: store.bucket.client)
            let reader = blob.pieces(of: 0..<blob.size).makeAsyncIterator()
            var read = try #require(try await reader.next())
            arrival.end(.failure(CacheFailure("pwrite", ENOSPC)))
            while let piece = try await reader.next() { read.writeImmutableBuffer(piece) }
            #expect(read == bytes)
            #expect(try await blob.localBytes() == nil)
            #expect(try await blob.read(at: 5, count: 10) == bytes.getSlice(at: 5, length: 10))
        }
    }

    @Test("a large blob is read in pieces, each fetched once, with one piece ahead")
    func pieces() async throws {
        try await withStore(settings: .sizes(whole: 1 << 20, piece: 1 << 20)) { store, proxy, _ in
            let key = try S3Fixture.key()
            let bytes = S3Fixture.pattern(5 << 20 | 1)
            try await store.put(bytes, as: key)
            let blob = try #require(try await store.open(key))
            #expect(blob.local == nil && proxy.reads == 0)
            let beginning = blob.pieces(of: 0..<(5 << 20)).makeAsyncIterator()
            #expect(try await beginning.next()?.readableBytes == 256 << 10)
            for _ in 0..<1000 where proxy.reads < 2 { await Task.yield() }
            #expect(proxy.reads <= 2)
            var read = ByteBuffer()
            for try await piece in blob.pieces(of: 0..<blob.size) { read.writeImmutableBuffer(piece) }
            #expect(read == bytes)
            #expect(proxy.reads == 6)
            // Within what is cached.
            #expect(try await blob.read(at: 5 << 20, count: .max).readableBytes == 1)
            #expect(try await blob.read(at: (1 << 20) - 5, count: 10) == bytes.getSlice(at: (1 << 20) - 5, length: 10))
            #expect(proxy.reads == 6)
            try await store.remove(key)
            let other = try await S3Fixture.withStore(layout: store.bucket.layout) { try await $0.open(key) }
            #expect(other == nil)
        }
    }

    @Test("a large blob that is removed while it is open is an error, never fewer bytes")
    func removedWhileOpen() async throws {
        try await withStore(settings: .sizes(whole: 1 << 10, piece: 1 << 10)) { store, _, _ in
            let key = try S3Fixture.key()
            try await store.put(S3Fixture.pattern(5000), as: key)
            let blob = try #require(try await store.open(key))
            #expect(try await blob.read(at: 0, count: 10).readableBytes == 10)
            try await store.remove(key)
            await expectFailure(.internalFailure) { try await blob.read(at: 0, count: 5000) }
            #expect(blob.isDamaged)
        }
    }

    @Test("a blob in parts comes back, from memory and from the disk, with either digest")
    func parts() async throws {
        try await withStore(settings: .sizes(single: 5 << 20, part: 8 << 20)) {
            store,
            proxy,
            folder in
            let bytes = S3Fixture.pattern(17 << 20 | 3)
            for area in [MemoryStagingArea(), try DiskStagingArea(folder: folder, pool: .singleton)]
                as [any StagingArea]
            {
                let staged = try await area.stage()
                let writer = staged.write(at: 0, digesting: [])
                try await writer.append(bytes)
                _ = try await writer.finish()
                let own = try await staged.finish(size: Int64(bytes.readableBytes), needsMD5: false).blob
                let sha256 = SHA256.hash(data: Array(bytes.readableBytesView)).map { String($0, radix: 16) }
                    .map { $0.utf8.count == 1 ? "0\($0)" : $0 }.joined()
                for facts in [own, BlobFacts(size: own.size, digest: .sha256(sha256), md5: nil)] {
                    let key = try S3Fixture.key()
                    try await store.put(staged, facts, as: key, of: ObjectIDGenerator().next())
                    #expect(try await store.bytes(key) == bytes)
                    try await store.remove(key)
                }
                await staged.discard()
            }
            #expect(proxy.requests.count { $0.path.contains("partNumber=3") } == 4)
        }
    }
}
