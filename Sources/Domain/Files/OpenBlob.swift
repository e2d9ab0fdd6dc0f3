package import NIOCore

/// A stored blob, open for reading; it closes when the last reference to it goes.
///
/// May be read by several tasks at the same time.
package protocol OpenBlob: Sendable {
    /// In bytes.
    var size: Int64 { get }

    /// The bytes themselves where this machine has them; nil if only ``read(at:count:)`` and ``pieces(of:)`` get them.
    ///
    /// A shortcut, for the kernel's own ways to copy and for libraries that read files. No reader may depend on it.
    var local: LocalBytes? { get }

    /// Whether it was found that the bytes cannot all be read: who keeps it open lets it go.
    var isDamaged: Bool { get }

    /// Up to `count` bytes from `offset`; fewer only at the end.
    ///
    /// - Throws: ``ServiceError/unreadable(_:)`` if the disk fails, or has fewer bytes than ``size``.
    func read(at offset: Int64, count: Int) async throws -> ByteBuffer

    /// The bytes of a range, in order and in pieces of at most ``pieceSize`` bytes, so that memory does not grow with the
    /// range.
    ///
    /// Reading throws ``ServiceError/unreadable(_:)`` if the range cannot be read to its end.
    func pieces(of range: Range<Int64>) -> BlobPieces

    /// Notes that the bytes cannot all be read.
    func noteDamage()
}

/// Bytes of a blob that this machine has.
package enum LocalBytes: Sendable {
    /// A file that begins with the bytes; others may follow.
    case file(LocalFile)
    /// Memory, with no other bytes.
    case memory(ByteBuffer)
}

extension OpenBlob {
    /// Never, for bytes in memory.
    package var isDamaged: Bool { false }

    /// Nothing to note, for bytes in memory.
    package func noteDamage() {}
}

/// Why stored bytes cannot be read, for the log: the disk failed, or the file has another size than was written.
package struct UnreadableBlob: Error, Sendable, CustomStringConvertible {
    /// What was found.
    package let description: String

    /// Takes what was found.
    package init(_ description: String) {
        self.description = description
    }

    /// A file of another size than its record says, both in bytes.
    package init(size: Int64, expected: Int64) {
        description = "the file has \(size) bytes, not the \(expected) that were stored"
    }
}

extension ServiceError {
    /// Stored bytes that cannot be read; counted as a failed read where it is answered.
    package static func unreadable(_ cause: UnreadableBlob) -> ServiceError {
        ServiceError(.internalFailure, "The stored file cannot be read.", cause: cause)
    }
}
