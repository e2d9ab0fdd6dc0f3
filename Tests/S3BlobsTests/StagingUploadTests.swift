import Crypto
import Domain
import Logging
import NIOCore
import NIOPosix
import S3
import Support
import Testing

@testable import S3Blobs

/// Uploads whose requests come to several servers, with their bytes and blobs in a real store.
@Suite("Uploads through several servers", .enabled(if: S3Fixture.isThere, "no S3_ENDPOINT"))
struct StagingUploadTests {
    /// Servers on one bucket and one store of objects.
    private struct Servers {
        let layout: S3BlobLayout
        let folder: String
        let store = MemoryObjectStore(rehearsing: false, isShared: true)
        let caller: Caller

        func start(_ number: Int) throws -> UploadService {
            let cache = try S3FileCache(folder: "\(folder)/cache-\(number)", bound: 1 << 30)
            let client = try StagingFixture.client()
            let settings = ObjectSettings(
                files: FilePresentation(publicURL: "https://f", bucket: "b"),
                accountDependencies: AccountDependencies(
                    settings: AccountSettings(),
                    changes: store.changes,
                    hasher: PlainHasher()
                )
            )
            return UploadService(
                app: caller.app,
                limits: UploadLimits(),
                storage: BlobStorage(
                    staging: try StagingFixture.area(layout),
                    blobs: S3BlobStore(client, layout: layout, cache: cache, pool: .singleton)
                ),
                store: store,
                types: FixedTypes(),
                sessions: SessionService(store: store, dependencies: settings.accountDependencies)
            )
        }

        func bytes(of record: FileRecord) async throws -> ByteBuffer {
            let cache = try S3FileCache(folder: "\(folder)/reader", bound: 1 << 30)
            let blobs = S3BlobStore(try StagingFixture.client(), layout: layout, cache: cache, pool: .singleton)
            let blob = try #require(try await blobs.open(record.key))
            var bytes = ByteBuffer()
            while bytes.readableBytes < Int(blob.size) {
                bytes.writeImmutableBuffer(try await blob.read(at: Int64(bytes.readableBytes), count: 1 << 20))
            }
            return bytes
        }
    }

    private func withServers(_ body: (Servers) async throws -> Void) async throws {
        try await StagingFixture.withLayout { layout in
            try await Samples.withFolder { folder in
                let app = try #require(AppID("app"))
                try await body(Servers(layout: layout, folder: folder, caller: Caller(app: app)))
            }
        }
    }

    private func announcement(size: Int?, tus: Bool) throws -> UploadAnnouncement {
        let description = UploadDescription(name: try FileName("a.bin", limit: 255))
        var announcement = UploadAnnouncement(description, size: size.map { Int64($0) })
        announcement.finishesOnLastByte = tus
        return announcement
    }

    /// Expects that nothing but the blob is in the bucket, and one record.
    private func expectOnlyBlob(_ servers: Servers) throws {
        let left = try StagingFixture.objects(servers.layout).filter { !$0.contains("/servers/") }
        #expect(left.count == 1 && left[0].contains("/blobs/"), "\(left)")
        #expect(servers.store.count(of: .file) == 1)
        #expect(servers.store.count(of: .uploadPart) == 0)
    }

    @Test("parts that three servers take at the same time are one file, finished by two of them")
    func parts() async throws {
        try await withServers { servers in
            let services = try (0..<3).map { try servers.start($0) }
            let size = 4 << 20
            let bytes = StagingFixture.pattern(9 * size + 12_345)
            let (_, token) = try await services[0].announce(announcement(size: nil, tus: false), as: servers.caller)
            let tags = try await withThrowingTaskGroup(of: (number: Int, tag: String).self) { group in
                for number in 1...10 {
                    let slice = bytes.part(at: Int64((number - 1) * size), count: size)
                    group.addTask {
                        try await services[number % 3].using(token) { upload in
                            let count = Int64(slice.readableBytes)
                            // The first server sends each part twice.
                            for _ in 0..<(number % 3 == 0 ? 2 : 1) {
                                _ = try await upload.receivePart(number, size: count, expecting: [:]) { sink in
                                    try await sink.append(slice)
                                }
                            }
                            let receipt = try await upload.receivePart(number, size: count, expecting: [:]) { sink in
                                try await sink.append(slice)
                            }
                            return (number, receipt.tag)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.number < $1.number }
            }
            async let first = services[1].using(token) { try await $0.finish(tags) }
            async let second = services[2].using(token) { try await $0.finish(tags) }
            let records = [try await first, try await second]
            #expect(records[0].id == records[1].id)
            #expect(try await servers.bytes(of: records[0]) == bytes)
            for service in services { _ = try await service.sweep() }
            try expectOnlyBlob(servers)
        }
    }

    @Test("an upload of tus goes from server to server, and each of them can end")
    func appending() async throws {
        try await withServers { servers in
            let bytes = StagingFixture.pattern(21 << 20)
            let first = try servers.start(0)
            let begun = try announcement(size: bytes.readableBytes, tus: true)
            let (upload, token) = try await first.announce(begun, as: servers.caller)
            var offset: Int64 = 0
            for (number, count) in [3 << 20, 100, 9 << 20, 4 << 20, 5 << 20].enumerated() {
                // The server before has ended without a word.
                let service = try servers.start(number + 1)
                offset = try await service.using(token) { upload in
                    let told = try await upload.settledOffset() ?? 0
                    #expect(told == offset)
                    let slice = bytes.part(at: told, count: min(count, bytes.readableBytes - Int(told)))
                    return try await upload.append(at: told, announced: nil, digesting: []) { sink in
                        try await sink.append(slice)
                        return nil
                    }
                }
            }
            let last = try servers.start(9)
            let rest = bytes.part(at: offset, count: bytes.readableBytes)
            let record = try await last.using(token) { upload in
                let at = offset
                _ = try await upload.append(at: at, announced: nil, digesting: []) { sink in
                    try await sink.append(rest)
                    return nil
                }
                return try await upload.file()
            }
            let file = try #require(record)
            #expect(file.id == upload.id)
            #expect(try await servers.bytes(of: file) == bytes)
            _ = try await last.sweep()
            try expectOnlyBlob(servers)
        }
    }
}
