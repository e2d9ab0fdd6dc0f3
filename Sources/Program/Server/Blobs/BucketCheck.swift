internal import DiskBlobs
internal import Domain
internal import S3
internal import S3Blobs
internal import Storage
internal import Synchronization

/// The blobs of an app in a bucket, with the derivatives and the scrubber's state in the app's folder, for a check.
final class BucketCheck: CheckedBlobs {
    private let folder: FolderBlobs
    private let open: @Sendable () throws -> S3CheckedBlobs
    private let opened = Mutex<S3CheckedBlobs?>(nil)

    /// - Parameters:
    ///   - folder: The app's folder.
    ///   - open: Gives access to the bucket; called once, before the first request.
    init(folder: String, open: @escaping @Sendable () throws -> S3CheckedBlobs) {
        self.folder = FolderBlobs(folder: folder)
        self.open = open
    }

    private func blobs() throws -> S3CheckedBlobs {
        try opened.withLock { opened in
            if let opened { return opened }
            let blobs = try open()
            opened = blobs
            return blobs
        }
    }

    func names(beginningWith byte: UInt8) throws -> BlobFolderNames { try blobs().names(beginningWith: byte) }

    func check(_ files: [FileEntry], comparingDigests: Bool) throws -> [BlobCondition] {
        try blobs().check(files, comparingDigests: comparingDigests)
    }

    func has(_ blob: BlobName) -> Bool { (try? blobs())?.has(blob) ?? true }

    func staged() throws -> StagedNames { try blobs().staged() }

    func forEachBrokenDerivative(comparingDigests: Bool, _ body: (String) throws -> Void) throws {
        try folder.forEachBrokenDerivative(comparingDigests: comparingDigests, body)
    }

    func scrubState() -> ScrubState? { folder.scrubState() }

    func noteSuspects(_ ids: [ObjectID]) -> Bool { folder.noteSuspects(ids) }

    func moveToLostAndFound(_ blob: BlobName) throws -> String { try blobs().moveToLostAndFound(blob) }

    func isUnended(_ put: UnendedPut) throws -> Bool { try blobs().isUnended(put) }

    func abandon(_ put: UnendedPut) throws -> String? { try blobs().abandon(put) }

    func removeAll(of blob: BlobName) throws { try blobs().removeAll(of: blob) }

    func moveToLostAndFound(staged name: String) throws -> String { try blobs().moveToLostAndFound(staged: name) }

    func removeDerivative(_ path: String) throws { try folder.removeDerivative(path) }

    func trashNames(endingWith byte: UInt8) throws -> TrashFolderNames { try blobs().trashNames(endingWith: byte) }

    func check(trashed files: [FileEntry], comparingDigests: Bool) throws -> [BlobCondition] {
        try blobs().check(trashed: files, comparingDigests: comparingDigests)
    }

    func hasTrashed(_ entry: ObjectID) -> Bool { (try? blobs())?.hasTrashed(entry) ?? true }

    func moveToLostAndFound(trashed entry: ObjectID) throws -> String {
        try blobs().moveToLostAndFound(trashed: entry)
    }
}
