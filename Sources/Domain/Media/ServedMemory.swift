internal import NIOCore
internal import Synchronization

/// Bytes that are served from memory, of which there is a bound: who reads slowly holds them for as long as it likes.
///
/// May be used from any thread.
final class ServedMemory: Sendable {
    private let limit: Int
    private let used = Atomic(0)

    /// - Parameter limit: The most bytes at the same time.
    init(limit: Int) {
        self.limit = limit
    }

    /// The bytes as a blob, which count until nobody has it any more; nothing if there is no room for them.
    func blob(of bytes: ByteBuffer) -> (any OpenBlob)? {
        let count = bytes.readableBytes
        guard used.add(count, ordering: .relaxed).newValue <= limit else {
            used.subtract(count, ordering: .relaxed)
            return nil
        }
        return Blob(bytes: bytes, memory: self)
    }

    private final class Blob: OpenBlob {
        let bytes: ByteBuffer
        let memory: ServedMemory

        init(bytes: ByteBuffer, memory: ServedMemory) {
            self.bytes = bytes
            self.memory = memory
        }

        deinit {
            memory.used.subtract(bytes.readableBytes, ordering: .relaxed)
        }

        var size: Int64 { Int64(bytes.readableBytes) }
        var descriptor: CInt? { nil }

        func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
            let start = min(Int(offset), bytes.readableBytes)
            let length = min(count, bytes.readableBytes - start)
            return bytes.getSlice(at: bytes.readerIndex + start, length: length) ?? ByteBuffer()
        }
    }
}

extension StoredDerivative {
    /// Bytes that came just now, served from memory; nothing if there is no room for them.
    init?(_ bytes: ByteBuffer, as mediaType: MediaType, in memory: ServedMemory) {
        guard let blob = memory.blob(of: bytes) else { return nil }
        self.init(blob: blob, mediaType: mediaType, tag: StoredDerivative.tag(of: bytes))
    }
}
