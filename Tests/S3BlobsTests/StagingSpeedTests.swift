import Domain
import NIOCore
import S3
import Support
import Testing

@testable import S3Blobs

/// The figures of docs/decisions/0006-staged-bytes-in-s3.md: `LCFILE_STAGED_MB=5120 swift test --filter StagingSpeed`.
@Suite(.enabled(if: S3Fixture.isThere && StagingFixture.megabytes > 0, "no LCFILE_STAGED_MB"), .serialized)
struct StagingSpeedTests {
    @Test(
        "parts that three servers took become a file",
        arguments: [64 << 20, 4 << 20, 5 << 20, 1 << 20],
        [nil, BlobEncryption.test]
    )
    func parts(size: Int, encryption: BlobEncryption?) async throws {
        try await StagingFixture.withLayout { layout in
            let areas = try (0..<3).map { _ in try StagingFixture.area(layout, encryption: encryption) }
            let name = ObjectIDGenerator().next()
            let total = StagingFixture.megabytes << 20
            let piece = StagingFixture.pattern(1 << 20)
            let clock = ContinuousClock()
            let writing = try await clock.measure {
                for (index, offset) in stride(from: 0, to: total, by: size).enumerated() {
                    let writer = try await areas[index % 3].stage(as: name).write(at: Int64(offset), digesting: [])
                    for _ in 0..<min(size, total - offset) >> 20 { try await writer.append(piece) }
                    _ = try await writer.finish()
                }
            }
            let staged = try await areas[0].stage(as: name)
            var facts: BlobFacts?
            let finishing = try await clock.measure {
                facts = try await staged.finish(size: Int64(total), needsMD5: false).blob
            }
            let copyable = try #require(staged as? any S3CopyableBlob)
            let found = try #require(facts)
            let copying = try await clock.measure {
                try await copyable.copy(to: "\(layout.root)blob", found, encryption)
            }
            let through = try await clock.measure {
                let client = try StagingFixture.client()
                let upload = try client.begin("\(layout.root)through", headers: [])
                for (index, offset) in stride(from: 0, to: total, by: 16 << 20).enumerated() {
                    let bytes = try await staged.read(at: Int64(offset), count: min(16 << 20, total - offset))
                    _ = try client.put(S3Content(Array(bytes.readableBytesView)), as: index + 1, of: upload)
                }
                try client.abort(upload)
            }
            let count = try StagingFixture.objects(layout).count
            let kind = encryption == nil ? "" : " encrypted"
            print(
                "TIME \(size >> 20) MiB\(kind): \(count) objects, write \(writing), finish \(finishing), copy \(copying)"
            )
            print("TIME through the server \(through)")
            let size = try StagingFixture.client().head("\(layout.root)blob")?.size ?? 0
            #expect(size == Int64(total) || encryption != nil && size > Int64(total))
        }
    }
}
