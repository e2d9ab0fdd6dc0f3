import Domain
import FoundationEssentials
import NIOCore
import NIOPosix
import S3
import Support

@testable import S3Blobs

/// A real store, which the environment names: `S3_ENDPOINT` and the variables below.
///
/// `Tests/Conformance/storage/test_s3.py` starts one and runs these suites, so `make test` always does.
enum S3Fixture {
    static let endpoint = environment["S3_ENDPOINT"]
    static let isThere = endpoint != nil
    private static let environment = ProcessInfo.processInfo.environment

    /// A client that repeats soon, so that a test with faults takes no time.
    static func client(
        at endpoint: String? = endpoint,
        bucket: String? = nil,
        _ change: (inout S3Options) -> Void = { _ in }
    ) throws -> S3Client {
        var options = S3Options()
        options.firstPause = .milliseconds(1)
        options.longestPause = .milliseconds(5)
        change(&options)
        return S3Client(
            try S3Bucket(
                bucket ?? environment["S3_BUCKET"] ?? "test",
                region: environment["S3_REGION"] ?? "us-east-1",
                endpoint: endpoint
            ),
            credentials: S3Credentials(
                accessKey: environment["S3_ACCESS_KEY"] ?? "",
                secretKey: environment["S3_SECRET_KEY"] ?? ""
            ),
            options: options
        )
    }

    /// Names of a new app.
    static func layout() -> S3BlobLayout {
        S3BlobLayout(prefix: "blobs-test", app: RandomString.lowercase(16))
    }

    /// The names of all objects of an app.
    static func objects(_ layout: S3BlobLayout) throws -> [String] {
        try client().list(prefix: layout.root).objects.map(\.key)
    }

    /// The objects of a store's blobs.
    static func objects(of store: S3BlobStore) throws -> [S3Object] {
        try store.bucket.client.list(prefix: store.bucket.layout.blobsPrefix).objects
    }

    /// Runs a body with a store of a new app.
    static func withStore<Result>(
        _ client: S3Client? = nil,
        layout: S3BlobLayout = layout(),
        settings: S3BlobSettings = S3BlobSettings(),
        encryption: BlobEncryption? = nil,
        _ body: (S3BlobStore) async throws -> Result
    ) async throws -> Result {
        try await Samples.withFolder { folder in
            let cache = try S3FileCache(folder: "\(folder)/cache", bound: 1 << 30)
            let client = try client ?? S3Fixture.client()
            return try await body(
                S3BlobStore(
                    client,
                    layout: layout,
                    cache: cache,
                    pool: .singleton,
                    settings: settings,
                    encryption: encryption
                )
            )
        }
    }

    /// Bytes in which no two adjacent kilobytes are equal.
    static func pattern(_ count: Int) -> ByteBuffer {
        ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }

    static func key() throws -> FileKey {
        try .make(for: FileName("photo.jpg", limit: 255), prefix: nil, keepingName: false)
    }
}

extension S3BlobStore {
    /// Another store of the same bucket, as another server has.
    func other(in folder: String) throws -> S3BlobStore {
        let cache = try S3FileCache(folder: "\(folder)/other-\(RandomString.lowercase(8))", bound: 1 << 30)
        return S3BlobStore(
            try S3Fixture.client(),
            layout: bucket.layout,
            cache: cache,
            pool: .singleton,
            settings: settings,
            encryption: bucket.encryption
        )
    }

    /// Puts bytes for a file, without a record.
    func put(_ bytes: ByteBuffer, as key: FileKey, of file: ObjectID = ObjectIDGenerator().next()) async throws {
        let staged = try await MemoryStagingArea().stage()
        let writer = staged.write(at: 0, digesting: [])
        try await writer.append(bytes)
        _ = try await writer.finish()
        let facts = try await staged.finish(size: Int64(bytes.readableBytes), needsMD5: false).blob
        try await put(staged, facts, as: key, of: file)
    }

    /// All bytes of a key's blob; `nil` without one.
    func bytes(_ key: FileKey) async throws -> ByteBuffer? {
        guard let blob = try await open(key) else { return nil }
        return try await blob.read(at: 0, count: Int(blob.size))
    }
}

extension S3BlobSettings {
    /// The default settings with other sizes.
    static func sizes(
        whole: Int64 = 64 << 20,
        piece: Int64 = 4 << 20,
        single: Int64 = 64 << 20,
        part: Int64 = 16 << 20
    ) -> S3BlobSettings {
        var settings = S3BlobSettings()
        (settings.wholeSize, settings.pieceSize) = (whole, piece)
        (settings.singlePutSize, settings.partSize) = (single, part)
        return settings
    }
}
