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

    /// The blobs of a file that has a record, or had one.
    ///
    /// The put of a file with a record has succeeded. So a claim beside its blob is the late execution of a request that
    /// the client had repeated.
    ///
    /// - Parameter blob: The file; if it is unknown, the blobs are those whose puts have succeeded.
    /// - Returns: One blob; more if late requests of puts that failed have left theirs, or if the file is unknown and the
    ///   store does not list what it has. The last one is that of the record.
    func blobs(of blob: FileBlob) -> [(file: ObjectID, blob: S3Object)] {
        guard let file = blob.file else { return committed }
        // Bytes that were taken over were compared with the record. The largest number is that of the last put.
        func rank(_ entry: Entry) -> (Int, Int, Int) {
            let number = entry.file == file ? 0 : PutName(numbered: entry.file)?.number ?? 0
            return (entry.file == blob.replaced ? 1 : 0, entry.isClaimed ? 0 : 1, number)
        }
        return entries.filter { $0.blob != nil && blob.isPut(under: $0.file) }.sorted { rank($0) < rank($1) }
            .compactMap { entry in entry.blob.map { (entry.file, $0) } }
    }

    /// The files of claims beside the blobs of a file that has a record, or had one.
    func claims(of blob: FileBlob) -> [ObjectID] {
        guard blob.file != nil else { return [] }
        return entries.filter { $0.isClaimed && blob.isPut(under: $0.file) }.map(\.file)
    }

    /// The blob that readers get; `nil` if it is missing.
    ///
    /// Records of earlier versions do not tell that they took over the bytes of another file (``FileBlob/replaced``), so
    /// if a file has no blob of its own, the only one of the key is taken for it.
    ///
    /// - Throws: `S3Error` if the file is unknown, and two have a blob.
    func blob(for reader: FileBlob) throws(S3Error) -> (file: ObjectID, blob: S3Object)? {
        if reader.file != nil {
            return blobs(of: reader).last ?? (committed.count == 1 ? committed.first : nil)
        }
        guard committed.count < 2 else {
            let names = committed.map(\.blob.key).joined(separator: " and ")
            throw S3Error(.refused, "one key has the blobs of two files: \(names)")
        }
        return committed.first
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
