package import Domain
internal import Glibc

/// The blobs of an app in a backup repository, or those that a server has in a bucket.
///
/// Every call blocks; blobs are transferred on several threads, because each waits for a network or for a sync.
package struct BlobRepository: Sendable {
    let target: any BackupTarget
    /// The usual name of the object of a file's blob.
    private let name: @Sendable (FileEntry) -> String
    /// Looks for a blob without an object of the usual name.
    private let search: @Sendable (FileEntry) throws -> String?

    /// The number of blobs that are transferred at the same time.
    static let threads = 16

    /// Creates the access; calls nothing.
    package init(target: any BackupTarget, layout: BackupLayout) {
        self.init(target: target) { layout.object(of: $0) }
    }

    /// Creates the access to blobs with other names; calls nothing.
    ///
    /// - Parameters:
    ///   - target: The objects.
    ///   - name: The usual name of the object of a file's blob.
    ///   - search: Looks for the name of a blob without an object of the usual name; `nil` if the blob is missing.
    package init(
        target: any BackupTarget,
        name: @escaping @Sendable (FileEntry) -> String,
        searching search: @escaping @Sendable (FileEntry) throws -> String? = { _ in nil }
    ) {
        self.target = target
        self.name = name
        self.search = search
    }

    /// Stores blobs after a comparison with their digests; damaged ones are not stored.
    ///
    /// - Returns: The condition of each file's blob, in the same order.
    package func upload(_ files: [FileEntry], from source: BlobSource) throws -> [BlobCondition] {
        try inParallel(files, threads: BlobRepository.threads) { try upload($0, from: source) }
    }

    /// Stores blobs of another repository after a comparison with their digests; damaged ones are not stored.
    ///
    /// - Parameters:
    ///   - files: The records.
    ///   - source: The other repository.
    ///   - folder: A folder for temporary files.
    /// - Returns: The condition of each file's blob, in the same order.
    /// - Throws: ``BackupTargetFailure``, and errors of the temporary files.
    package func upload(
        _ files: [FileEntry],
        from source: BlobRepository,
        through folder: String
    ) throws -> [BlobCondition] {
        try inParallel(files, threads: BlobRepository.threads) { [self] file in
            let path = "\(folder)/\(RandomString.lowercase(25))"
            defer { unlink(path) }
            let condition = try source.fetch(file, to: path, comparingDigest: true)
            guard condition == .whole else { return condition }
            _ = try target.put(name(file), fileAt: path)
            return .whole
        }
    }

    /// Compares the sizes of the objects of blobs with the records.
    ///
    /// - Returns: The condition of each file's blob, in the same order.
    package func checkSizes(_ files: [FileEntry]) throws -> [BlobCondition] {
        try inParallel(files, threads: BlobRepository.threads) { [self] file in
            guard let object = try object(name(file)) ?? search(file).flatMap({ try object($0) }) else {
                return .missing
            }
            return object.size == file.facts.size ? .whole : .wrongSize(object.size, file.facts)
        }
    }

    /// Whether the repository has the blob of one of the files.
    package func has(anyOf files: [FileEntry]) throws -> Bool {
        try inParallel(files, threads: BlobRepository.threads) { [self] file in
            try object(name(file)) != nil
        }
        .contains(true)
    }

    /// The object of a name; `nil` if there is none.
    private func object(_ name: String) throws(BackupTargetFailure) -> BackupObject? {
        // Names that only begin with it come behind it.
        try target.list(prefix: name, after: nil, limit: 1).first { $0.name == name }
    }

    private func upload(_ file: FileEntry, from source: BlobSource) throws -> BlobCondition {
        // The second reading comes from the kernel's cache, unless the file is larger than that.
        let condition = try source.read(file, comparingDigest: true) { _ in }
        guard condition == .whole else { return condition }
        guard let path = try source.path(of: file) else { return .missing }
        let name = name(file)
        let size: Int64
        do {
            size = try target.put(name, fileAt: path)
        } catch {
            // It was deleted meanwhile.
            guard error.reason == .missing, try source.path(of: file) == nil else { throw error }
            return .missing
        }
        guard size == file.facts.size else {
            try target.remove([name])
            return .wrongSize(size, file.facts)
        }
        return .whole
    }

    /// Reads blobs to temporary files and compares their bytes with the digests.
    ///
    /// - Returns: The condition of each file's blob, in the same order.
    package func check(_ files: [FileEntry], through folder: String) throws -> [BlobCondition] {
        try inParallel(files, threads: BlobRepository.threads) { [self] file in
            let path = "\(folder)/\(RandomString.lowercase(25))"
            defer { unlink(path) }
            return try fetch(file, to: path, comparingDigest: true)
        }
    }

    /// Writes a blob to a new file, synced; the file of a damaged blob is removed.
    func fetch(_ file: FileEntry, to path: String, comparingDigest: Bool) throws -> BlobCondition {
        guard let size = try get(file, to: path) else { return .missing }
        var condition = size == file.facts.size ? BlobCondition.whole : .wrongSize(size, file.facts)
        if comparingDigest, condition == .whole {
            condition = try BlobSource.read(Descriptor(path, O_RDONLY | O_NOFOLLOW), file, comparingDigest: true) { _ in
            }
        }
        if condition != .whole { unlink(path) }
        return condition
    }

    /// Writes the object of a blob to a new file, and returns its size; `nil` if there is none.
    private func get(_ file: FileEntry, to path: String) throws -> Int64? {
        var name = name(file)
        var isUsual = true
        while true {
            do {
                return try target.get(name, toFileAt: path)
            } catch {
                guard error.reason == .missing else { throw error }
                guard isUsual, let other = try search(file) else { return nil }
                name = other
                isUsual = false
                unlink(path)
            }
        }
    }
}

/// Copies blobs from a repository to an app's folder that no server uses yet.
///
/// Every call blocks. No copy counts before ``synchronize()`` has returned.
package struct BlobFetch: BlobCopier, Sendable {
    private let source: BlobRepository
    private let comparingDigests: Bool
    private var folders: BlobFolders

    /// Creates the folders in the target.
    ///
    /// - Parameters:
    ///   - source: The blobs to copy.
    ///   - folder: The target app's folder, which must exist.
    ///   - comparingDigests: Whether a blob must have the digest of its record, or only the size.
    /// - Throws: An error if a folder cannot be created or synced.
    package init(from source: BlobRepository, to folder: String, comparingDigests: Bool) throws {
        self.source = source
        self.comparingDigests = comparingDigests
        folders = try BlobFolders(in: folder)
    }

    /// Copies blobs, several at a time, and returns their conditions in the same order.
    package mutating func copy(_ files: [FileEntry]) throws -> [BlobCondition] {
        try folders.prepare(files)
        return try inParallel(files, threads: BlobRepository.threads) { [source, folders, comparingDigests] file in
            try source.fetch(file, to: folders.path(of: file), comparingDigest: comparingDigests)
        }
    }

    /// Syncs the names of all copies to the disk.
    package func synchronize() throws {
        try folders.synchronize()
    }
}
