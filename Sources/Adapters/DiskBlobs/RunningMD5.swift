internal import Crypto
internal import Domain
internal import NIOCore

extension RunningMD5 {
    /// Adds bytes that are written at an offset.
    func update(_ buffers: [ByteBuffer], at offset: Int64) {
        var position = offset
        for buffer in buffers {
            buffer.withUnsafeReadableBytes { update($0, at: position) }
            position += Int64(buffer.readableBytes)
        }
    }

    /// Computes the MD5 of a file's bytes up to a size; blocks the thread.
    static func digest(of size: Int64, in file: borrowing Descriptor) throws -> String {
        var md5 = Insecure.MD5()
        var position: Int64 = 0
        while position < size {
            let bytes = try file.read(at: position, count: Int(min(1 << 20, size - position)))
            guard bytes.readableBytes > 0 else { throw failure(ofReading: position) }
            bytes.withUnsafeReadableBytes { md5.update(bufferPointer: $0) }
            position += Int64(bytes.readableBytes)
        }
        return md5.finalize().hexadecimal
    }
}
