import Domain
import NIOCore
import NIOPosix
import S3
import Support
import Synchronization
import Testing

@testable import S3Blobs

/// Derivatives in a bucket, beside the cache of each server.
@Suite("Shared derivatives", .enabled(if: S3Fixture.isThere, "no S3_ENDPOINT"))
struct SharedDerivativeTests {
    private static let name = DerivativeName(source: "photo", request: "w/100")
    private static let bytes = S3Fixture.pattern(100_000)

    /// The derivatives of a server with an empty cache.
    private static func server(
        _ layout: S3BlobLayout,
        _ client: S3Client? = nil,
        lifetime: Int64 = 3600,
        encryption: BlobEncryption? = nil
    ) throws -> SharedDerivatives {
        SharedDerivatives(
            MemoryDerivativeStore(bound: 1 << 20),
            try client ?? S3Fixture.client(),
            removing: try S3Fixture.client(),
            layout: layout,
            pool: .singleton,
            lifetime: lifetime,
            encryption: encryption
        )
    }

    private static func read(_ store: SharedDerivatives) async throws -> (MediaType, ByteBuffer)? {
        guard let found = try await store.open(name) else { return nil }
        return (found.mediaType, try await found.blob.read(at: 0, count: 1 << 20))
    }

    @Test("shared derivatives keep the contract", arguments: DerivativeStoreContract.rules)
    func contract(_ rule: ContractRule<any DerivativeStore>) async throws {
        try await rule.check(try Self.server(S3Fixture.layout()))
    }

    @Test("what one server has rendered, others have, encrypted or not", arguments: [true, false])
    func sharing(isEncrypted: Bool) async throws {
        let layout = S3Fixture.layout()
        let encryption = isEncrypted ? BlobEncryption.test : nil
        let (first, second) = (
            try Self.server(layout, encryption: encryption), try Self.server(layout, encryption: encryption)
        )
        try await first.store(Self.bytes, as: .webp, under: Self.name)
        let found = try #require(try await Self.read(second))
        #expect(found.0 == .webp && found.1 == Self.bytes)
        let key = try #require(try S3Fixture.objects(layout).first)
        let object = try #require(try S3Fixture.client().get(key, limit: 1 << 20))
        #expect(object.hasBeginning(of: Self.bytes) != isEncrypted)
    }

    @Test("an object that was changed, moved to another name or encrypted in another way is not there")
    func foreignObjects() async throws {
        let encryption = try #require(BlobEncryption.test)
        let (plain, sealed) = (S3Fixture.layout(), S3Fixture.layout())
        try await Self.server(plain).store(Self.bytes, as: .webp, under: Self.name)
        try await Self.server(sealed, encryption: encryption).store(Self.bytes, as: .webp, under: Self.name)
        #expect(try await Self.read(try Self.server(plain, encryption: encryption)) == nil)
        #expect(try await Self.read(try Self.server(sealed)) == nil)
        let client = try S3Fixture.client()
        for (layout, encryption) in [(plain, nil), (sealed, encryption)] {
            let key = layout.name(of: Self.name)
            var object = try #require(try client.get(key, limit: 1 << 20))
            object[object.count / 2] ^= 1
            try client.put(key, bytes: object)
            #expect(try await Self.read(try Self.server(layout, encryption: encryption)) == nil)
            try client.put(key, bytes: [])
            #expect(try await Self.read(try Self.server(layout, encryption: encryption)) == nil)
        }
        let other = DerivativeName(source: "other", request: "w/100")
        try await Self.server(sealed, encryption: encryption).store(Self.bytes, as: .webp, under: Self.name)
        let object = try #require(try client.get(sealed.name(of: Self.name), limit: 1 << 20))
        try client.put(sealed.name(of: other), bytes: object)
        #expect(try await Self.server(sealed, encryption: encryption).open(other) == nil)
    }

    @Test("one server removes a source for all, and each one forgets its own")
    func removal() async throws {
        let layout = S3Fixture.layout()
        let (first, second) = (try Self.server(layout), try Self.server(layout))
        for request in 0..<3 {
            let name = DerivativeName(source: "photo", request: "w/\(request)")
            try await first.store(Self.bytes, as: .webp, under: name)
            #expect(try await second.open(name) != nil)
        }
        try await first.store(Self.bytes, as: .webp, under: DerivativeName(source: "other", request: "w/1"))
        try await second.forget(allOf: "photo")
        #expect(try S3Fixture.objects(layout).count == 4)
        try await first.remove(allOf: "photo")
        #expect(try S3Fixture.objects(layout).count == 1)
        #expect(try await second.open(DerivativeName(source: "photo", request: "w/1")) == nil)
    }

    @Test("derivatives go when their time is over, and not before")
    func expiry() async throws {
        let layout = S3Fixture.layout()
        try await Self.server(layout).store(Self.bytes, as: .webp, under: Self.name)
        try await Self.server(layout, lifetime: 3600).removeExpired()
        #expect(try S3Fixture.objects(layout).count == 1)
        try await Self.server(layout, lifetime: -60).removeExpired()
        #expect(try S3Fixture.objects(layout).isEmpty)
    }

    @Test("a store that fails is asked once, and the cache of the server works without it")
    func failingStore() async throws {
        let proxy = try S3Proxy { _, _ in .refused(503) }
        defer { proxy.close() }
        let store = try Self.server(S3Fixture.layout(), try S3Fixture.client(at: proxy.url) { $0.attempts = 1 })
        #expect(try await Self.read(store) == nil)
        try await store.store(Self.bytes, as: .webp, under: Self.name)
        #expect(try await Self.read(store)?.1 == Self.bytes)
        #expect(try await store.open(DerivativeName(source: "photo", request: "other")) == nil)
        #expect(proxy.requests.count == 1)
    }

    @Test("many that want a derivative at once share one request, and large ones are not shared")
    func requests() async throws {
        let layout = S3Fixture.layout()
        try await Self.server(layout).store(Self.bytes, as: .webp, under: Self.name)
        let proxy = try S3Proxy { _, _ in .none }
        defer { proxy.close() }
        let store = try Self.server(layout, try S3Fixture.client(at: proxy.url))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<10 { group.addTask { try await store.open(Self.name) != nil } }
            for try await isFound in group { #expect(isFound) }
        }
        #expect(proxy.requests.count == 1)
        let large = ByteBuffer(repeating: 7, count: S3Derivative.maxSize + 1)
        try await store.store(large, as: .webp, under: DerivativeName(source: "large", request: "w/1"))
        #expect(proxy.requests.count == 1)
    }
}
