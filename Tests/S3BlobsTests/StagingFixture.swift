import Domain
import FoundationEssentials
import NIOCore
import NIOPosix
import S3
import Support
import Testing

@testable import S3Blobs

/// Areas of staged bytes in the store of ``S3Fixture``.
enum StagingFixture {
    /// The size of the files of ``StagingSpeedTests``.
    static let megabytes = ProcessInfo.processInfo.environment["LCFILE_STAGED_MB"].flatMap { Int($0) } ?? 0
    /// Runs a body with the names of a new app, and removes its objects afterwards.
    static func withLayout(_ body: (S3BlobLayout) async throws -> Void) async throws {
        let layout = S3BlobLayout(prefix: "staging-test", app: RandomString.lowercase(16))
        defer { #expect(throws: Never.self) { try client().delete(objects(layout)) } }
        try await body(layout)
    }

    /// An area as another server has it.
    static func area(
        _ layout: S3BlobLayout,
        at endpoint: String? = S3Fixture.endpoint,
        encryption: BlobEncryption? = nil,
        _ change: (inout S3StagingArea.Options) -> Void = { _ in }
    ) throws -> S3StagingArea {
        var options = S3StagingArea.Options()
        change(&options)
        return S3StagingArea(
            try client(at: endpoint),
            layout: layout,
            pool: .singleton,
            options: options,
            encryption: encryption
        )
    }

    /// Requests at the same time can meet a fault that hits each second one several times.
    static func client(at endpoint: String? = S3Fixture.endpoint) throws -> S3Client {
        try S3Fixture.client(at: endpoint) { $0.attempts = 12 }
    }

    /// The names of all objects of an app.
    static func objects(_ layout: S3BlobLayout) throws -> [String] {
        let client = try client()
        var found: [String] = []
        while true {
            let page = try client.list(prefix: layout.root, after: found.last)
            found += page.objects.map(\.key)
            guard page.hasMore, !page.objects.isEmpty else { return found }
        }
    }

    /// Bytes of which those at different places differ: the period is a prime number.
    static func pattern(_ count: Int) -> ByteBuffer {
        var bytes = ByteBuffer()
        while bytes.readableBytes < count { bytes.writeBytes(period) }
        return bytes.getSlice(at: 0, length: count) ?? bytes
    }

    private static let period = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}

extension S3CopyableBlob {
    /// Copies the bytes to an object with a name of the test; returns its size.
    @discardableResult
    func copy(to name: String, _ facts: BlobFacts, _ encryption: BlobEncryption? = nil) async throws -> Int64 {
        let file = ObjectIDGenerator().next()
        return try await copy(
            to: S3NewBlob(name: name, facts: facts, file: file, app: "app", encryption: encryption)
        )
    }
}
