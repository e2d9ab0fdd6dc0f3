package import Domain
internal import Glibc

/// The blobs in an app's folder, for reading them completely; creates and changes no files.
///
/// Every call blocks.
package struct BlobSource: Sendable {
    private let layout: BlobLayout
    private let acceptsLostFolders: Bool

    private static let bufferSize = 1 << 20

    /// Creates a source for an app's folder; opens no files.
    package init(folder: String) {
        self.init(folder: folder, acceptsLostFolders: false)
    }

    /// Creates a source that can take the blobs of a folder that is missing, or in whose place a file is, for missing.
    ///
    /// A check lists what is lost. For a backup that is an error: the folder can be moved back.
    package init(folder: String, acceptsLostFolders: Bool) {
        layout = BlobLayout(reading: folder)
        self.acceptsLostFolders = acceptsLostFolders
    }

    /// Compares blobs with their records, several at a time; returns their conditions in the same order.
    ///
    /// The size is always compared; for the digest all bytes are read.
    ///
    /// - Parameters:
    ///   - files: The records.
    ///   - comparingDigests: Whether all bytes are read.
    ///   - droppingPages: Whether the bytes leave the page cache, for a server on the same machine.
    /// - Returns: The conditions.
    /// - Throws: Errors of opening a blob that say nothing about it.
    package func check(
        _ files: [FileEntry],
        comparingDigests: Bool,
        droppingPages: Bool = false
    ) throws -> [BlobCondition] {
        try inParallel(files) { file in
            guard comparingDigests else { return try checkSize(of: file) }
            return try read(file, comparingDigest: true, droppingPages: droppingPages) { _ in }
        }
    }

    /// Compares files at other paths with their records, as ``check(_:comparingDigests:droppingPages:)`` does; their
    /// bytes leave the page cache, and those in a lost folder are missing.
    func check(
        _ files: [FileEntry],
        comparingDigests: Bool,
        at path: @escaping @Sendable (FileEntry) -> String
    ) throws -> [BlobCondition] {
        try inParallel(files) { file in
            let name = path(file)
            return try BlobSource.judging([name]) {
                guard let bytes = try BlobSource.find(name) else { return .missing }
                guard comparingDigests else { return try BlobSource.compareSize(of: bytes, with: file.facts) }
                return try BlobSource.read(bytes, file, comparingDigest: true, droppingPages: true) { _ in }
            }
        }
    }

    /// Passes a blob's bytes to the body, piece by piece; returns the blob's condition.
    func read(
        _ file: FileEntry,
        comparingDigest: Bool,
        droppingPages: Bool = false,
        _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> BlobCondition {
        let blob: Descriptor
        do {
            guard let opened = try open(file) else { return .missing }
            blob = opened
        } catch {
            return try condition(after: error, at: layout.paths(of: BlobName(file.key)))
        }
        return try BlobSource.read(blob, file, comparingDigest: comparingDigest, droppingPages: droppingPages, take)
    }

    /// The path of a blob's file; `nil` if there is none.
    ///
    /// - Throws: ``StorageDisplacement/refusal`` if the folder of the blobs is missing.
    func path(of file: FileEntry) throws -> String? {
        if let path = layout.paths(of: BlobName(file.key)).first(where: { access($0, F_OK) == 0 }) { return path }
        try layout.require(layout.blobs)
        return nil
    }

    /// Passes the bytes of an open file to the body, piece by piece; returns the condition of the record's blob.
    static func read(
        _ blob: borrowing Descriptor,
        _ file: FileEntry,
        comparingDigest: Bool,
        droppingPages: Bool = false,
        _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> BlobCondition {
        let sized = try compareSize(of: blob, with: file.facts)
        guard sized == .whole else { return sized }
        var hasher = BlobHasher(like: file.facts.digest)
        var size: Int64 = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: BlobSource.bufferSize, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count: Int
            do {
                let descriptor = blob.raw
                count = try syscall("read") { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
            } catch {
                return .damaged("cannot be read")
            }
            if count == 0 { break }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if comparingDigest { hasher.update(bytes) }
            if droppingPages { dropPages(of: blob.raw, at: size, count: count) }
            size += Int64(count)
            try take(bytes)
        }
        guard size == file.facts.size else { return .wrongSize(size, file.facts) }
        guard !comparingDigest || hasher.digest == file.facts.digest else { return .otherBytes(than: file.facts) }
        return .whole
    }

    private func open(_ file: FileEntry) throws -> Descriptor? {
        if acceptsLostFolders { return try layout.open(BlobName(file.key)) { try BlobSource.find($0) } }
        if let blob = try layout.open(BlobName(file.key), { try Descriptor(reading: $0) }) { return blob }
        // A blob in a folder that can be moved back is not missing: a continuous backup would take it for deleted.
        try layout.require(layout.blobs)
        return nil
    }

    /// Opens a file for reading; `nil` if it does not exist, also if a file is in the place of a folder of its path.
    private static func find(_ path: String) throws -> Descriptor? {
        do {
            return try Descriptor(reading: path)
        } catch let error as ServiceError where (error.cause as? SyscallError)?.number == ENOTDIR {
            return nil
        }
    }

    private func checkSize(of file: FileEntry) throws -> BlobCondition {
        try BlobSource.judging(layout.paths(of: BlobName(file.key))) {
            guard let blob = try open(file) else { return .missing }
            return try BlobSource.compareSize(of: blob, with: file.facts)
        }
    }

    /// Runs a body that only reads a blob: a disk that fails and a file that cannot be opened are damage of the blob, and
    /// end nothing else.
    private static func judging(_ paths: [String], _ body: () throws -> BlobCondition) throws -> BlobCondition {
        do {
            return try body()
        } catch {
            return try condition(after: error, at: paths)
        }
    }

    /// Compares the size of an open file with the record's; what is no regular file is damage.
    static func compareSize(of blob: borrowing Descriptor, with facts: BlobFacts) throws -> BlobCondition {
        guard let size = try blob.regularSize() else { return .damaged("is no regular file") }
        return size == facts.size ? .whole : .wrongSize(size, facts)
    }
}
