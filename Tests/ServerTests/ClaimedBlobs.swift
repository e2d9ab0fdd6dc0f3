import Domain
import Synchronization

/// The blobs of a folder with claims as a bucket has them.
struct ClaimedBlobs: CheckedBlobs {
    final class Claims: Sendable {
        let puts = Mutex<[UnendedPut]>([])
        let notes = Mutex<[CommitNote]>([])
    }

    private let blobs: any CheckedBlobs
    private let claims: Claims

    init(_ blobs: any CheckedBlobs, _ claims: Claims) {
        self.blobs = blobs
        self.claims = claims
    }

    func names(beginningWith byte: UInt8) throws -> BlobFolderNames {
        var found = try blobs.names(beginningWith: byte)
        let prefix = [byte].hexadecimal
        found.puts = claims.puts.withLock { $0.filter { "\($0.blob)".hasPrefix(prefix) } }
        return found
    }

    func isUnended(_ put: UnendedPut) -> Bool { claims.puts.withLock { $0.contains(put) } }

    func abandon(_ put: UnendedPut) -> String? {
        claims.puts.withLock { $0.removeAll { $0 == put } }
        return "lost+found/x"
    }

    func staged() throws -> StagedNames {
        var found = try blobs.staged()
        found.notes += claims.notes.withLock(\.self)
        return found
    }

    func check(_ files: [FileEntry], comparingDigests: Bool) throws -> [BlobCondition] {
        try blobs.check(files, comparingDigests: comparingDigests)
    }

    func has(_ blob: BlobName) -> Bool { blobs.has(blob) }

    func forEachBrokenDerivative(comparingDigests: Bool, _ body: (String) throws -> Void) throws {
        try blobs.forEachBrokenDerivative(comparingDigests: comparingDigests, body)
    }

    func scrubState() -> ScrubState? { blobs.scrubState() }
    func noteSuspects(_ ids: [ObjectID]) -> Bool { blobs.noteSuspects(ids) }
    func moveToLostAndFound(_ blob: BlobName) throws -> String { try blobs.moveToLostAndFound(blob) }
    func moveToLostAndFound(staged name: String) throws -> String { try blobs.moveToLostAndFound(staged: name) }
    func moveToLostAndFound(trashed entry: ObjectID) throws -> String { try blobs.moveToLostAndFound(trashed: entry) }
    func removeAll(of blob: BlobName) throws { try blobs.removeAll(of: blob) }
    func removeDerivative(_ path: String) throws { try blobs.removeDerivative(path) }
    func trashNames(endingWith byte: UInt8) throws -> TrashFolderNames { try blobs.trashNames(endingWith: byte) }
    func hasTrashed(_ entry: ObjectID) -> Bool { blobs.hasTrashed(entry) }

    func check(trashed files: [FileEntry], comparingDigests: Bool) throws -> [BlobCondition] {
        try blobs.check(trashed: files, comparingDigests: comparingDigests)
    }
}
