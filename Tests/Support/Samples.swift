package import Domain
internal import FoundationEssentials
package import NIOCore

/// Sample values for tests that do not depend on them.
package enum Samples {
    /// A record with plausible defaults.
    package static func record(
        _ name: String = "photo.jpg",
        id: ObjectID = ObjectIDGenerator().next(),
        key: FileKey? = nil,
        size: Int64 = 3,
        createdAt: Timestamp = .now(),
        verdict: Verdict? = nil
    ) throws -> FileRecord {
        let name = try FileName(name, limit: 255)
        return FileRecord(
            id: id,
            key: try key ?? .make(for: name, prefix: nil, keepingName: false),
            name: name,
            mediaType: .jpeg,
            detectedType: .jpeg,
            facts: BlobFacts(
                size: size,
                digest: .contentHash("FqmZPjZHBoFquj4lcXhQwmyc0Nid"),
                md5: String(repeating: "a", count: 32)
            ),
            metaData: [
                "size": .integer(3), "owner": .string("unknown"), "nested": .object(["a": .array([.number(1.5)])]),
            ],
            acl: try AccessControlList(.object(["*": .object(["read": .bool(true)])])),
            createdAt: createdAt,
            verdict: verdict
        )
    }

    /// A guest: the app key without a session.
    package static func guest() throws -> Caller {
        guard let app = AppID("app") else { throw ServiceError(.internalFailure, "'app' is no app id.") }
        return Caller(app: app)
    }

    /// A real photograph, 640x427 with an Adobe RGB profile (SpaceX, CC0; from scikit-image's collection).
    package static func rocket() throws -> ByteBuffer {
        ByteBuffer(
            bytes: try Data(
                contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                    .appending(path: "Images/rocket.jpg")
            )
        )
    }

    /// Runs a body with a new folder, which is removed when the body returns.
    package static func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lcfile-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder.path)
    }
}

/// An unspecific error.
package struct Broken: Error, Equatable {
    package init() {}
}

extension FileRecords {
    /// Adds records with any caller.
    package func insert(_ records: [FileRecord]) async throws {
        try await insert(records, as: Samples.guest())
    }
}
