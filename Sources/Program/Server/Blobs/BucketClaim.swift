internal import Domain
internal import S3
internal import S3Blobs
internal import Storage

/// Makes sure, at a start, that an app's folder, its database and its objects in the bucket belong together.
struct BucketClaim: Sendable {
    private let engine: BlobEngine
    private let app: AppID
    private let folder: String

    /// - Parameters:
    ///   - engine: The bucket.
    ///   - app: The app.
    ///   - folder: Its folder.
    init(_ engine: BlobEngine, of app: AppID, in folder: String) {
        self.engine = engine
        self.app = app
        self.folder = folder
    }

    private var owners: S3BlobOwners {
        S3BlobOwners(engine.client, layout: engine.layout(of: app), keys: engine.keys)
    }

    /// What the start does (``BlobPlacement``); changes nothing.
    ///
    /// - Parameter schema: The id of the schema in PostgreSQL; `nil` with SQLite.
    /// - Returns: The decision; never a refusal.
    /// - Throws: ``ExitError`` if it is refused.
    func decision(schema: String?) async throws -> BlobPlacement.Decision {
        let (folder, owners) = (folder, owners)
        let placement = try await engine.run {
            var placement = BlobPlacement()
            placement.schema = schema
            placement.marker = try BlobMarker.read(in: folder)?.id
            if placement.marker == nil {
                placement.prepared = try BlobMarker.readPrepared(in: folder)?.id
                placement.hasFolderBlobs = try BlobMarker.hasFolderBlobs(folder)
            }
            placement.owners = try owners.read()
            if placement.owners == nil, try owners.hasObjects() {
                // Another server of the same database can have begun to use the bucket between the two.
                placement.owners = try owners.read()
                placement.hasObjects = true
            }
            return placement
        }
        guard case .refuse(let refusal) = placement.decision else { return placement.decision }
        let root = engine.layout(of: app).root
        throw refusal.error(folder: folder, bucket: "s3://\(engine.location.bucket)/\(root)")
    }

    /// Decides, and writes the marker and the bucket's ids if they are not there.
    ///
    /// The marker is prepared before the bucket gets the id, so a start that ends between the two is continued.
    ///
    /// - Parameter schema: The id of the schema in PostgreSQL; `nil` with SQLite.
    /// - Returns: The encryption of the app's blobs; `nil` if they are not encrypted.
    /// - Throws: ``ExitError`` if the start is refused.
    func settle(schema: String?) async throws -> BlobEncryption? {
        let decision = try await decision(schema: schema)
        let (folder, owners) = (folder, owners)
        // Servers without the keys would take encrypted blobs for damaged ones.
        if try await engine.run({ try owners.isEncryptionNew() }),
            try await engine.blobs(of: app, nil).staging.hasLivingServers()
        {
            throw ExitError.storage(
                "blobs.encryption.keys is new for the bucket of app \(app), and another server used it in the last minute: "
                    + "stop all servers first"
            )
        }
        return try await engine.run {
            switch decision {
            case .refuse: break
            case .use: try owners.renewKeys()
            case .join(let id):
                try owners.renewKeys()
                try BlobMarker(id: id).write(in: folder)
            case .create(let id):
                let id = id ?? RandomString.lowercase(25)
                let marker = BlobMarker(id: id)
                try marker.prepare(in: folder)
                try owners.write([id])
                // Another server can have done the same at this moment, for another storage.
                guard try owners.read() == [id] else {
                    throw ExitError.storage("another server has begun to use the bucket for \(folder)'s app")
                }
                try marker.write(in: folder)
            }
            return try owners.encryption()
        }
    }
}
