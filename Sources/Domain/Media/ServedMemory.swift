internal import NIOCore
internal import Synchronization

/// A memory limit for bytes that are served from memory: a slow client holds them until its response ends.
///
/// The apps of a server share it. Thread-safe.
package final class ServedMemory: Sendable {
    private let limit: Int
    private let used = Atomic(0)

    /// - Parameter limit: The maximum number of bytes at the same time.
    package init(limit: Int) {
        self.limit = limit
    }

    /// How much of the memory is used.
    package var status: MemoryStatus { MemoryStatus(used: used.load(ordering: .relaxed), limit: limit) }

    /// The bytes as a blob, which count until its last reference is released; `nil` if the limit would be exceeded.
    func blob(of bytes: ByteBuffer) -> (any OpenBlob)? {
        let reservation = Reservation(in: self)
        return reservation.grow(by: bytes.readableBytes) ? reservation.blob(of: bytes) : nil
    }

    /// A reserved share of the memory; released with its last reference.
    final class Reservation: Sendable {
        private let memory: ServedMemory
        private let taken = Atomic(0)

        /// Creates an empty reservation.
        init(in memory: ServedMemory) {
            self.memory = memory
        }

        deinit {
            memory.used.subtract(taken.load(ordering: .relaxed), ordering: .relaxed)
        }

        /// Reserves further bytes; returns false if the limit would be exceeded.
        func grow(by count: Int) -> Bool {
            guard memory.used.add(count, ordering: .relaxed).newValue <= memory.limit else {
                memory.used.subtract(count, ordering: .relaxed)
                return false
            }
            taken.add(count, ordering: .relaxed)
            return true
        }

        /// The reserved bytes as a blob, which holds the reservation from now on, too.
        func blob(of bytes: ByteBuffer) -> any OpenBlob {
            Blob(bytes: bytes, reservation: self)
        }
    }

    private struct Blob: OpenBlob {
        let bytes: ByteBuffer
        let reservation: Reservation

        var size: Int64 { Int64(bytes.readableBytes) }
        var local: LocalBytes? { .memory(bytes) }

        func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
            let start = min(Int(offset), bytes.readableBytes)
            let length = min(count, bytes.readableBytes - start)
            return bytes.getSlice(at: bytes.readerIndex + start, length: length) ?? ByteBuffer()
        }
    }
}

extension StoredDerivative {
    /// Creates a derivative from bytes in memory; `nil` if the limit would be exceeded.
    init?(_ bytes: ByteBuffer, as mediaType: MediaType, in memory: ServedMemory) {
        guard let blob = memory.blob(of: bytes) else { return nil }
        self.init(blob: blob, mediaType: mediaType, tag: StoredDerivative.tag(of: bytes))
    }
}
