internal import NIOCore

/// An open file that several jobs of disk threads use.
final class OpenFile: Sendable {
    let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Writes buffers one after the other, from an offset; blocks.
    func write(_ buffers: [ByteBuffer], at offset: Int64) throws {
        var position = offset
        for buffer in buffers {
            try buffer.withUnsafeReadableBytes { try descriptor.write($0, at: position) }
            position += Int64(buffer.readableBytes)
        }
    }
}
