/// What is known when an app starts with its blobs in a bucket, and what the start does.
///
/// The bucket has an object with the ids of those to whom the app's blobs belong: of the schema in PostgreSQL, or an id
/// that a storage folder with SQLite got at random. A move of the objects adds an id. A server's folder has one of the
/// ids in its marker. So a start notices that a folder, a database and a bucket do not belong together; otherwise it
/// would miss the files of its records.
package struct BlobPlacement: Sendable, Equatable {
    /// The id in the folder's marker.
    package var marker: String?
    /// The id in a marker that was prepared by a start that ended before the marker got its name.
    package var prepared: String?
    /// Whether the folder has blobs or staged bytes; examined without a marker.
    package var hasFolderBlobs = false
    /// The id of the schema in PostgreSQL; `nil` with SQLite.
    package var schema: String?
    /// The ids in the bucket; `nil` if it has no object with them.
    package var owners: [String]?
    /// Whether the bucket has other objects of the app; examined without ids.
    package var hasObjects = false

    /// Creates the facts of a new app.
    package init() {}

    /// What a start does.
    package enum Decision: Sendable, Equatable {
        /// Uses the bucket.
        case use
        /// Writes the marker: another server of the database has the bucket in use, or an earlier start was cut off.
        case join(id: String)
        /// Gives the bucket an id, then writes the marker; `nil` for an id made at random.
        case create(id: String?)
        /// Ends.
        case refuse(Refusal)
    }

    /// Why a start ends.
    package enum Refusal: Sendable, Equatable {
        /// The folder has blobs, which must be moved first.
        case folderHasBlobs
        /// The folder has a marker, and the bucket has no ids.
        case bucketIsOther
        /// The folder's id is not among those of the bucket.
        case bucketOfOtherStorage
        /// The schema's id is not among those of the bucket.
        case bucketOfOtherDatabase
        /// The bucket has objects and no ids.
        case bucketWithoutOwner
    }

    /// What a start does.
    package var decision: Decision {
        guard let owners else {
            if marker != nil { return .refuse(.bucketIsOther) }
            if hasFolderBlobs { return .refuse(.folderHasBlobs) }
            return hasObjects ? .refuse(.bucketWithoutOwner) : .create(id: schema ?? prepared)
        }
        if let schema, !owners.contains(schema) { return .refuse(.bucketOfOtherDatabase) }
        if let marker { return owners.contains(marker) ? .use : .refuse(.bucketOfOtherStorage) }
        if hasFolderBlobs { return .refuse(.folderHasBlobs) }
        if let schema { return .join(id: schema) }
        if let prepared, owners.contains(prepared) { return .join(id: prepared) }
        return .refuse(.bucketOfOtherStorage)
    }
}

extension BlobPlacement.Refusal {
    /// The message for the operator.
    ///
    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - bucket: What the names of the app's objects begin with, as an address.
    /// - Returns: The error.
    package func error(folder: String, bucket: String) -> ExitError {
        switch self {
        case .folderHasBlobs:
            .storage(
                "blobs.store is set, and the blobs of \(folder) are in the folder: move them first (docs/scale-out.md)"
            )
        case .bucketIsOther:
            .storage(
                "the blobs of \(folder) are in a bucket (\(BlobMarker.name)), and \(bucket) has none: blobs.store names "
                    + "another bucket or prefix, or the objects were removed"
            )
        case .bucketOfOtherStorage:
            .storage("\(bucket) has the blobs of another storage than \(folder)")
        case .bucketOfOtherDatabase:
            .storage(
                "\(bucket) has the blobs of another database: database.url and blobs.store do not belong together, or the "
                    + "blobs were moved to another bucket"
            )
        case .bucketWithoutOwner:
            .storage("\(bucket) has objects, and no object that tells whose they are; choose another prefix")
        }
    }
}

extension BlobMarker {
    /// Throws if the blobs of an app's folder are in a bucket, and the server would look for them in the folder.
    package static func refuseMoved(_ folder: String) throws {
        guard try read(in: folder) != nil else { return }
        throw ExitError.configuration(
            "the blobs of \(folder) are in a bucket (\(name)): set blobs.store (docs/scale-out.md)"
        )
    }

    /// Whether an app's folder has blobs, bytes in the trash or staged bytes; it blocks.
    ///
    /// Bytes of single requests that ended do not count.
    package static func hasFolderBlobs(_ folder: String) throws -> Bool {
        for name in ["blobs", "trash", "staging"] {
            let path = "\(folder)/\(name)"
            guard try StorageContents.isPresent(path) else { continue }
            if try hasFile(in: path, depth: 0) { return true }
        }
        return false
    }

    private static func hasFile(in folder: String, depth: Int) throws -> Bool {
        for name in try StorageContents.names(in: folder) {
            let path = "\(folder)/\(name)"
            if depth == 0, name.hasPrefix("draft-") { continue }
            guard StorageContents.isFolder(path) else { return true }
            if depth < 2, try hasFile(in: path, depth: depth + 1) { return true }
        }
        return false
    }
}
