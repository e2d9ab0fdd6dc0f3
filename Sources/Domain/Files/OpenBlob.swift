package import NIOCore

/// A stored blob, open for reading; it closes when the last reference to it is released.
///
/// Several tasks can read it at the same time.
package protocol OpenBlob: Sendable {
    /// The size in bytes.
    var size: Int64 { get }

    /// The digest with which the bytes were put, if the store cannot have changed it; `nil` if it is unknown.
    var digest: BlobDigest? { get }

    /// The bytes as a local file or in memory; `nil` if only ``read(at:count:)`` and ``pieces(of:)`` provide them.
    ///
    /// A shortcut, for the kernel's copy functions and for libraries that read files. No reader can depend on it.
    var local: LocalBytes? { get }

    /// As ``local``, but waits for bytes that the store is just bringing to this machine; for readers that need all of
    /// them.
    ///
    /// - Throws: ``ServiceError/unreadable(_:)``, or the error of the store.
    func localBytes() async throws -> LocalBytes?

    /// Whether a read of the bytes failed: a cache that holds the blob then removes it.
    var isDamaged: Bool { get }

    /// Up to `count` bytes from `offset`; fewer only at the end.
    ///
    /// - Throws: ``ServiceError/unreadable(_:)`` if the disk fails, or has fewer bytes than ``size``.
    func read(at offset: Int64, count: Int) async throws -> ByteBuffer

    /// The bytes of a range, in order and in pieces of at most ``pieceSize`` bytes; memory does not grow with the
    /// range.
    ///
    /// Reading throws ``ServiceError/unreadable(_:)`` if the range cannot be read to its end.
    func pieces(of range: Range<Int64>) -> BlobPieces

    /// Marks the blob as damaged.
    func noteDamage()
}

/// Bytes of a blob on this machine.
package enum LocalBytes: Sendable {
    /// A file that begins with the bytes; other bytes can follow.
    case file(LocalFile)
    /// Memory that contains only these bytes.
    case memory(ByteBuffer)
}

extension OpenBlob {
    /// `nil`: only a store that encrypts knows it without reading the bytes.
    package var digest: BlobDigest? { nil }

    /// The same as ``local``, for bytes that are on this machine when the blob is opened, or stay elsewhere.
    package func localBytes() async throws -> LocalBytes? { local }

    /// Always `false`, for bytes in memory.
    package var isDamaged: Bool { false }

    /// Does nothing, for bytes in memory.
    package func noteDamage() {}
}

/// The reason why stored bytes cannot be read, for the log: a disk error, or a file of another size than was written.
package struct UnreadableBlob: Error, Sendable, CustomStringConvertible {
    /// The reason.
    package let description: String

    /// Creates an error with a reason.
    package init(_ description: String) {
        self.description = description
    }

    /// Creates the error for a file of another size than its record says, both in bytes.
    package init(size: Int64, expected: Int64) {
        description = "the file has \(size) bytes, not the \(expected) that were stored"
    }

    /// The reason for a blob whose damage was recorded: it is not opened until it is found whole again.
    package static let known = UnreadableBlob("the blob is known to be damaged")
}

extension ServiceError {
    /// The error for stored bytes that cannot be read; the response to it counts as a failed read.
    package static func unreadable(_ cause: UnreadableBlob) -> ServiceError {
        ServiceError(.internalFailure, "The stored file cannot be read.", cause: cause)
    }
}
