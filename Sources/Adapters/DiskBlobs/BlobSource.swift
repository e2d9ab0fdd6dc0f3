package import Domain
internal import Glibc

/// The blobs in an app's folder, for reading them completely; creates and changes no files.
///
/// Every call blocks.
package struct BlobSource: Sendable {
    private let layout: BlobLayout

    private static let bufferSize = 1 << 20

    /// Creates a source for an app's folder; opens no files.
    package init(folder: String) {
        layout = BlobLayout(reading: folder)
    }

    /// Compares blobs with their records, several at a time; returns their conditions in the same order.
    ///
    /// The size is always compared; for the digest all bytes are read.
    package func check(_ files: [FileEntry], comparingDigests: Bool) throws -> [BlobCondition] {
        try inParallel(files) { file in
            guard comparingDigests else { return try checkSize(of: file) }
            return try read(file, comparingDigest: true) { _ in }
        }
    }

    /// Passes a blob's bytes to the body, piece by piece; returns the blob's condition.
    func read(
        _ file: FileEntry,
        comparingDigest: Bool,
        _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> BlobCondition {
        guard let blob = try open(file) else { return .missing }
        let sized = try compareSize(of: blob, with: file.facts)
        guard sized == .whole else { return sized }
        var hasher = BlobHasher(like: file.facts.digest)
        var size: Int64 = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: BlobSource.bufferSize, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count: Int
            do {
                count = try syscall("read") { Glibc.read(blob.raw, buffer.baseAddress, buffer.count) }
            } catch {
                return .damaged("cannot be read")
            }
            if count == 0 { break }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if comparingDigest { hasher.update(bytes) }
            size += Int64(count)
            try take(bytes)
        }
        guard size == file.facts.size else { return wrongSize(size, file.facts) }
        guard !comparingDigest || hasher.digest == file.facts.digest else {
            return .damaged("holds other bytes than were uploaded: their digest is not \(file.facts.digest)")
        }
        return .whole
    }

    private func open(_ file: FileEntry) throws -> Descriptor? {
        try layout.open(BlobName(file.key)) { try Descriptor(reading: $0) }
    }

    private func checkSize(of file: FileEntry) throws -> BlobCondition {
        guard let blob = try open(file) else { return .missing }
        return try compareSize(of: blob, with: file.facts)
    }

    private func compareSize(of blob: borrowing Descriptor, with facts: BlobFacts) throws -> BlobCondition {
        let size = try blob.size()
        return size == facts.size ? .whole : wrongSize(size, facts)
    }

    private func wrongSize(_ size: Int64, _ facts: BlobFacts) -> BlobCondition {
        .damaged("has \(size) bytes, not the \(facts.size) that were uploaded")
    }
}
