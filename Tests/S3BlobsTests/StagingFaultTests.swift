import Domain
import NIOCore
import S3
import Support
import Synchronization
import Testing

@testable import S3Blobs

@Suite("Staged bytes in a store that fails", .enabled(if: S3Fixture.isThere, "no S3_ENDPOINT"))
struct StagingFaultTests {
    private let name = ObjectIDGenerator().next()

    @Test(
        "an upload succeeds though each second request fails",
        arguments: [.refused(503, code: "SlowDown"), .refused(0), .unanswered, .half] as [S3Proxy.Fault]
    )
    func repeats(fault: S3Proxy.Fault) async throws {
        try await StagingFixture.withLayout { layout in
            let proxy = try S3Proxy { $1 % 2 == 1 ? fault : .none }
            defer { proxy.close() }
            let area = try StagingFixture.area(layout, at: proxy.url)
            let bytes = StagingFixture.pattern(10_500_000)
            for range in [0..<5_300_000, 5_300_000..<10_500_000] {
                let writer = try await area.stage(as: name).write(at: Int64(range.lowerBound), digesting: [])
                try await writer.append(try #require(bytes.getSlice(at: range.lowerBound, length: range.count)))
                _ = try await writer.finish()
            }
            let staged = try await area.stage(as: name)
            let facts = try await staged.finish(size: 10_500_000, needsMD5: false).blob
            var hasher = ContentHasher()
            bytes.withUnsafeReadableBytes { hasher.update($0) }
            #expect(facts.digest == .contentHash(hasher.finalize()))
            let blob = BlobName(try S3Fixture.key())
            try await staged.noteCommit(as: blob, of: name)
            let copyable = try #require(staged as? any S3CopyableBlob)
            try await copyable.copy(to: "\(layout.root)blob", facts)
            let stored = try StagingFixture.client().get("\(layout.root)blob", limit: 32 << 20)
            #expect(stored.map { ByteBuffer(bytes: $0) } == bytes)
            await staged.discard()
            let left = try StagingFixture.objects(layout)
            #expect(!left.contains { $0.contains("/uploads/") || $0.contains("/commits/") })
        }
    }

    @Test(
        "bytes that the store does not take are not acknowledged, also not later",
        arguments: [(503, "SlowDown", .unavailable), (507, "QuotaExceeded", .storageFull)]
            as [(Int, String, ServiceError.Code)]
    )
    func refusal(status: Int, code: String, error: ServiceError.Code) async throws {
        try await StagingFixture.withLayout { layout in
            let proxy = try S3Proxy { request, _ in
                request.method == "PUT" ? .refused(status, code: code) : .none
            }
            defer { proxy.close() }
            let staged = try await StagingFixture.area(layout, at: proxy.url).stage(as: name)
            let writer = staged.write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(string: "bytes"))
            for _ in 0..<2 { await expectFailure(error) { try await writer.finish() } }
            await writer.settle()
            #expect(try await staged.extent() == 0)
            await expectFailure(error) {
                try await staged.noteCommit(as: BlobName(try S3Fixture.key()), of: name)
            }
        }
    }

    @Test("a copy that fails leaves no parts, and the bytes stay staged")
    func copies() async throws {
        try await StagingFixture.withLayout { layout in
            let proxy = try S3Proxy { request, _ in
                request.headers["x-amz-copy-source"] == nil ? .none : .refused(403, code: "AccessDenied")
            }
            defer { proxy.close() }
            let area = try StagingFixture.area(layout, at: proxy.url) { $0.segmentSize = 5 << 20 }
            let staged = try await area.stage(StagingFixture.pattern(17 << 20), as: name)
            let facts = try await staged.finish(size: 17 << 20, needsMD5: false).blob
            let copyable = try #require(staged as? any S3CopyableBlob)
            let key = "\(layout.root)blob"
            await expectFailure(.storageFailing) { try await copyable.copy(to: key, facts) }
            #expect(try StagingFixture.client().uploads(prefix: key).isEmpty)
            #expect(try await staged.extent() == 17 << 20)
            #expect(try StagingFixture.client().head(key) == nil)
        }
    }

    @Test("bytes whose removal failed are removed by the next sweep")
    func removals() async throws {
        try await StagingFixture.withLayout { layout in
            let isBroken = Flag()
            let proxy = try S3Proxy { request, _ in
                request.method == "DELETE" && isBroken.value ? .refused(403, code: "AccessDenied") : .none
            }
            defer { proxy.close() }
            let area = try StagingFixture.area(layout, at: proxy.url)
            let staged = try await area.stage(ByteBuffer(string: "a"), as: name)
            await staged.discard()
            #expect(try StagingFixture.objects(layout).contains { $0.contains("/uploads/") })
            // It is no leftover of another server either.
            #expect(try await area.leftovers() == [])
            isBroken.clear()
            #expect(try await area.unsettled() == [])
            #expect(try !StagingFixture.objects(layout).contains { $0.contains("/uploads/") })
        }
    }

    @Test("the bytes of an unfinished upload that got the id of an ended one are not removed with those of that one")
    func sameName() async throws {
        try await StagingFixture.withLayout { layout in
            let isBroken = Flag()
            let proxy = try S3Proxy { request, _ in
                request.method == "DELETE" && isBroken.value ? .refused(403, code: "AccessDenied") : .none
            }
            defer { proxy.close() }
            let area = try StagingFixture.area(layout, at: proxy.url)
            let other = try StagingFixture.area(layout)
            await (try await area.stage(ByteBuffer(string: "ended"), as: name)).discard()
            isBroken.clear()
            var undecided = try await area.unsettled { [name] in $0 == name }
            #expect(try staged(layout).count == 1)
            // A client sends the first bytes of the next one after the sweep has asked.
            undecided += try await area.unsettled { name in
                _ = try await other.stage(ByteBuffer(string: "acknowledged"), as: name)
                return false
            }
            #expect(undecided == [])
            #expect(try staged(layout).count == 1)
            #expect(try await other.stage(as: name).read(at: 0, count: 100) == ByteBuffer(string: "acknowledged"))
        }
    }

    @Test("the last reader of an ended upload's bytes removes these and no others")
    func readers() async throws {
        try await StagingFixture.withLayout { layout in
            let area = try StagingFixture.area(layout)
            let staged = try await area.stage(ByteBuffer(string: "ended"), as: name)
            var reader: (any OpenBlob)? = try await staged.open()
            await staged.discard()
            let former = try self.staged(layout)
            let next = try await StagingFixture.area(layout).stage(ByteBuffer(string: "next"), as: name)
            #expect(try await reader?.read(at: 0, count: 100) == ByteBuffer(string: "ended"))
            reader = nil
            try await eventually { try Set(former).isDisjoint(with: self.staged(layout)) }
            #expect(try self.staged(layout).count == 1)
            await next.discard()
        }
    }

    private func staged(_ layout: S3BlobLayout) throws -> [String] {
        try StagingFixture.objects(layout).filter { $0.contains("/uploads/") }
    }

    private final class Flag: Sendable {
        private let state = Mutex(true)

        var value: Bool { state.withLock(\.self) }

        func clear() { state.withLock { $0 = false } }
    }
}
