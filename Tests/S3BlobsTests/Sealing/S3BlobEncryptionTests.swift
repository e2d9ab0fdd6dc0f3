import DiskBlobs
import Domain
import NIOCore
import NIOPosix
import S3
import Support
import Testing

@testable import S3Blobs

@Suite("Encrypted blobs in a bucket", .enabled(if: S3Fixture.isThere, "no S3_ENDPOINT"))
struct S3BlobEncryptionTests {
    private let file = ObjectIDGenerator().next()

    /// The bytes of all objects of an app, and their names.
    private func everything(_ layout: S3BlobLayout) throws -> [(name: String, bytes: [UInt8])] {
        let client = try S3Fixture.client()
        return try client.list(prefix: layout.root).objects.map { object in
            (object.key, try client.get(object.key, limit: 64 << 20) ?? [])
        }
    }

    @Test(
        "blobs of any size come back, and no object, name or metadata tells of them",
        arguments: [0, 1, 65_536, 300_001]
    )
    func sizes(size: Int) async throws {
        let layout = S3Fixture.layout()
        try await S3Fixture.withStore(layout: layout, encryption: .test) { store in
            let key = try S3Fixture.key()
            let bytes = S3Fixture.pattern(size)
            try await store.put(bytes, as: key, of: file)
            #expect(try await store.bytes(key) == bytes)
            #expect(try await store.open(key)?.digest != nil)
            for (name, found) in try everything(layout) {
                #expect(size < 2 || !found.hasBeginning(of: bytes))
                #expect(try S3Fixture.client().head(name)?.metadata == [:])
            }
            #expect(try await store.remote(FileBlob(key: key, file: file)) == nil)
        }
    }

    @Test("a blob that is sent in parts is one run of frames")
    func parts() async throws {
        let settings = S3BlobSettings.sizes(whole: -1, piece: 1_000_003, single: 1 << 20, part: 8 << 20)
        try await Samples.withFolder { folder in
            let staging = try DiskStagingArea(folder: folder, pool: .singleton)
            try await S3Fixture.withStore(settings: settings, encryption: .test) { store in
                let bytes = StagingFixture.pattern(17_000_001)
                let staged = try await staging.stage()
                let writer = staged.write(at: 0, digesting: [])
                try await writer.append(bytes)
                _ = try await writer.finish()
                let facts = try await staged.finish(size: 17_000_001, needsMD5: false).blob
                let key = try S3Fixture.key()
                try await store.put(staged, facts, as: key, of: file)
                #expect(try await store.bytes(key) == bytes)
                let blob = try #require(try await store.open(key))
                for offset in [0, 65_535, 1_000_000, 8 << 20, 16_999_990] {
                    let part = try await blob.read(at: Int64(offset), count: 70_000)
                    #expect(part == bytes.part(at: Int64(offset), count: 70_000))
                }
                await staged.discard()
            }
        }
    }

    /// What a store can do to the object of a blob.
    enum Attack: String, CaseIterable {
        case changedByte, changedTrailer, otherBlob, cut, withoutTrailer, plain, otherKey
    }

    @Test("an object that was changed is unreadable, for readers, checks and the scrubber", arguments: Attack.allCases)
    func attacks(attack: Attack) async throws {
        let layout = S3Fixture.layout()
        try await S3Fixture.withStore(layout: layout, settings: .sizes(whole: -1), encryption: .test) { store in
            let (key, other) = (try S3Fixture.key(), try S3Fixture.key())
            let bytes = S3Fixture.pattern(200_000)
            try await store.put(bytes, as: key, of: file)
            try await store.put(ByteBuffer(repeating: 5, count: 200_000), as: other)
            let client = try S3Fixture.client()
            let name = layout.name(of: BlobName(key), file)
            let names = try client.list(prefix: "\(layout.root)blobs/").objects.map(\.key)
            var object = try #require(try client.get(name, limit: 1 << 20))
            var encryption = try BlobEncryption.keys([1])
            switch attack {
            case .changedByte: object[70_000] ^= 1
            case .changedTrailer: object[object.count - 40] ^= 1
            case .otherBlob:
                let other = try #require(names.first { $0 != name })
                object = try #require(try client.get(other, limit: 1 << 20))
            case .cut: object.removeFirst(65_552)
            case .withoutTrailer: object.removeLast(100)
            case .plain: object = Array(bytes.readableBytesView)
            case .otherKey: encryption = try .keys([2])
            }
            try client.put(name, bytes: object)
            let facts = BlobFacts(size: 200_000, digest: .contentHash(ContentHash.of(bytes)), md5: nil)
            let entry = FileEntry(id: file, key: key, facts: facts)
            try await S3Fixture.withStore(layout: layout, settings: .sizes(whole: -1), encryption: encryption) {
                reader in
                await expectFailure(.internalFailure) { _ = try await reader.bytes(key) }
                let condition = try await S3BlobInspection(reader).inspect(entry) { _, _ in }
                guard case .damaged = condition else { return #expect(Bool(false), "\(condition)") }
            }
            let checked = S3CheckedBlobs(client, layout: layout, encryption: encryption)
            let conditions = try checked.check([entry], comparingDigests: true)
            guard case .damaged = try #require(conditions.first) else { return #expect(Bool(false), "\(conditions)") }
        }
    }

    @Test("a check compares sizes without a request for each blob, and authenticates if it reads")
    func checks() async throws {
        let layout = S3Fixture.layout()
        try await S3Fixture.withStore(layout: layout, encryption: .test) { store in
            var entries: [FileEntry] = []
            for size in [0, 1, 70_000] {
                let (key, id) = (try S3Fixture.key(), ObjectIDGenerator().next())
                let bytes = S3Fixture.pattern(size)
                try await store.put(bytes, as: key, of: id)
                let digest = BlobDigest.contentHash(ContentHash.of(bytes))
                entries.append(
                    FileEntry(id: id, key: key, facts: BlobFacts(size: Int64(size), digest: digest, md5: nil))
                )
            }
            let client = try S3Fixture.client()
            let checked = S3CheckedBlobs(client, layout: layout, encryption: .test)
            for byte in UInt8.min...UInt8.max { _ = try checked.names(beginningWith: byte) }
            for comparing in [false, true] {
                #expect(try checked.check(entries, comparingDigests: comparing) == [.whole, .whole, .whole])
            }
            let target = SealedBlobTarget(client, layout: layout, encryption: try .keys([1]))
            let name = String(layout.name(of: BlobName(entries[2].key), entries[2].id).dropFirst(layout.root.count))
            #expect(try target.list(prefix: name, after: nil, limit: 1).map(\.size) == [70_000])
            try await Samples.withFolder { folder in
                let size = try target.get(name, toFileAt: "\(folder)/copy")
                #expect(size == 70_000)
                let failure = #expect(throws: BackupTargetFailure.self) {
                    try target.get("blobs/none", toFileAt: "\(folder)/none")
                }
                #expect(failure?.reason == .missing)
            }
        }
    }

    @Test("blobs from before the encryption are read only where the settings say so")
    func unencrypted() async throws {
        let layout = S3Fixture.layout()
        let key = try S3Fixture.key()
        try await S3Fixture.withStore(layout: layout) {
            try await $0.put(ByteBuffer(string: "plain"), as: key, of: file)
        }
        try await S3Fixture.withStore(layout: layout, encryption: .test) { store in
            await expectFailure(.internalFailure) { _ = try await store.bytes(key) }
        }
        let reading = try BlobEncryption.keys([1], readsUnencrypted: true)
        try await S3Fixture.withStore(layout: layout, encryption: reading) { store in
            #expect(try await store.bytes(key) == ByteBuffer(string: "plain"))
            let other = try S3Fixture.key()
            try await store.put(ByteBuffer(string: "secret"), as: other)
            #expect(try await store.bytes(other) == ByteBuffer(string: "secret"))
        }
    }

    @Test("the bucket names the keys, and settings without them are refused")
    func owners() throws {
        let layout = S3Fixture.layout()
        let client = try S3Fixture.client()
        func owners(_ numbers: [UInt8], readsUnencrypted: Bool = false) throws -> S3BlobOwners {
            let keys = BlobKeys(keys: try numbers.map { try .test($0) }, readsUnencrypted: readsUnencrypted)
            return S3BlobOwners(client, layout: layout, keys: keys)
        }
        try owners([]).write(["a"])
        #expect(try owners([]).encryption() == nil)
        #expect(throws: S3Error.self) { try owners([1]).read() }
        let reading = try owners([1], readsUnencrypted: true)
        #expect(try reading.read() == ["a"] && reading.isEncryptionNew())
        try reading.renewKeys()
        let key = try owners([1]).encryption()?.keys[0].id
        #expect(try key == reading.encryption()?.keys[0].id)
        #expect(try owners([1]).read() == ["a"] && !owners([1]).isEncryptionNew())
        for other in [[], [2]] as [[UInt8]] {
            #expect(throws: S3Error.self) { try owners(other).read() }
            #expect(throws: S3Error.self) { try owners(other).encryption() }
        }
        #expect(throws: S3Error.self) { try owners([2]).write(["b"]) }
        try owners([2, 1]).write(["a", "b"])
        #expect(try owners([1]).read() == ["a", "b"])
        try owners([2]).renewKeys()
        #expect(throws: S3Error.self) { try owners([1]).read() }
        #expect(try owners([2]).encryption()?.keys[0].id == key)
        // Another app's key is told like a damaged one, and not as a lack of the key that is given.
        let bytes = try #require(try client.get(layout.ownersName, limit: 1 << 16))
        let other = S3Fixture.layout()
        try client.put(other.ownersName, bytes: Array(bytes))
        let keys = BlobKeys(keys: [try .test(2)])
        let error = #expect(throws: S3Error.self) { try S3BlobOwners(client, layout: other, keys: keys).read() }
        #expect(error?.description.contains("'\(other.ownersName)' is damaged") == true)
        try client.delete([layout.ownersName, other.ownersName])
    }
}

extension ContentHash {
    /// The hash of bytes.
    fileprivate static func of(_ bytes: ByteBuffer) -> String {
        var hasher = ContentHasher()
        bytes.withUnsafeReadableBytes { hasher.update($0) }
        return hasher.finalize()
    }
}
