internal import NIOCore

extension StoredDerivative {
    /// A picture that was made just now, served from memory.
    init(_ image: RenderedImage) {
        self.init(image.bytes, as: image.format.mediaType)
    }

    /// Bytes that came just now, served from memory.
    init(_ bytes: ByteBuffer, as mediaType: MediaType) {
        self.init(blob: MemoryBlob(bytes: bytes), mediaType: mediaType, tag: StoredDerivative.tag(of: bytes))
    }
}

/// Bytes in memory as a blob.
private struct MemoryBlob: OpenBlob {
    let bytes: ByteBuffer

    var size: Int64 { Int64(bytes.readableBytes) }
    var descriptor: CInt? { nil }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        let start = min(Int(offset), bytes.readableBytes)
        let length = min(count, bytes.readableBytes - start)
        return bytes.getSlice(at: bytes.readerIndex + start, length: length) ?? ByteBuffer()
    }
}
