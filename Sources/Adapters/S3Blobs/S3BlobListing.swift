internal import Domain
internal import S3

/// What a bucket has under a key: blobs of files, and the claims of files whose puts have not ended.
///
/// A put creates its claim before its blob, and removes the claim after the blob is the only one. A list shows a claim
/// behind its blob. So a blob that is listed without a claim has won, also if the list was made meanwhile; or its put has
/// withdrawn, and the blob is gone.
struct S3BlobListing {
    /// The objects of one file.
    struct Entry {
        let file: ObjectID
        /// The blob; `nil` if only the claim is there.
        var blob: S3Object?
        var isClaimed = false
    }

    private(set) var entries: [Entry] = []

    /// - Parameters:
    ///   - objects: The objects whose names begin with the prefix.
    ///   - prefix: ``S3BlobLayout/prefix(of:)``.
    init(_ objects: [S3Object], prefix: String) {
        for object in objects {
            var rest = object.key.dropFirst(prefix.count)
            let isClaim = rest.hasSuffix(S3BlobLayout.claimSuffix)
            if isClaim { rest = rest.dropLast(S3BlobLayout.claimSuffix.count) }
            // A name that no version of this program gives.
            guard let file = ObjectID(String(rest)) else { continue }
            let index = entries.firstIndex { $0.file == file } ?? entries.endIndex
            if index == entries.endIndex { entries.append(Entry(file: file)) }
            if isClaim { entries[index].isClaimed = true } else { entries[index].blob = object }
        }
    }

    /// The blobs whose puts have succeeded: one at most, unless the store does not list what it has.
    var committed: [(file: ObjectID, blob: S3Object)] {
        entries.compactMap { entry in
            guard !entry.isClaimed, let blob = entry.blob else { return nil }
            return (entry.file, blob)
        }
    }

    /// Notes that the claim of a file does not exist any more.
    mutating func release(_ file: ObjectID) {
        for index in entries.indices where entries[index].file == file { entries[index].isClaimed = false }
    }

    /// Notes that a file has no claim any more, and which blob it has then; `nil` if it has withdrawn.
    mutating func settle(_ file: ObjectID, _ blob: S3Object?) {
        guard let blob else { return entries.removeAll { $0.file == file } }
        for index in entries.indices where entries[index].file == file {
            (entries[index].blob, entries[index].isClaimed) = (blob, false)
        }
    }

    /// What a put decides after its blob is stored.
    enum Decision: Equatable {
        /// No other file has or wants the key.
        case won
        /// Another file has the key, or goes before.
        case lost
        /// Others want the key that go behind and will withdraw.
        case waits
        /// The store does not list the blob yet.
        case unlisted
    }

    /// Decides for a file; of files that want the key at the same time, the one with the smallest id goes before.
    func decision(for file: ObjectID) -> Decision {
        let others = entries.filter { $0.file != file }
        guard let own = entries.first(where: { $0.file == file }), own.blob != nil else { return .unlisted }
        if others.contains(where: { !$0.isClaimed || $0.file < file }) { return .lost }
        return others.isEmpty ? .won : .waits
    }
}
