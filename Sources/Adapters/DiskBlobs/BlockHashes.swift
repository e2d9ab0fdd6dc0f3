internal import Crypto
internal import Domain
internal import NIOCore
internal import Synchronization

/// The SHA-1 of each 4 MiB of a staged file, computed while its bytes are written in any order: see ``ContentHash``.
///
/// A block's digest is known if its bytes came in order; overwriting them makes it unknown again. Bytes of one block
/// come from one writer at a time.
final class BlockHashes: Sendable {
    private struct Running {
        var sha1 = Insecure.SHA1()
        var position: Int64
    }

    private struct State {
        var whole: [Int: [UInt8]] = [:]
        var running: [Int: Running] = [:]
    }

    private let state = Mutex(State())
    private static let blockSize = ContentHash.blockSize

    /// Adds bytes that are written at an offset.
    func update(_ buffers: [ByteBuffer], at offset: Int64) {
        var position = offset
        for buffer in buffers {
            buffer.withUnsafeReadableBytes { bytes in
                var rest = bytes
                while !rest.isEmpty {
                    let remaining = BlockHashes.blockSize - position % BlockHashes.blockSize
                    let count = Int(min(remaining, Int64(rest.count)))
                    update(UnsafeRawBufferPointer(rebasing: rest[..<count]), at: position)
                    position += Int64(count)
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                }
            }
        }
    }

    /// Discards the digests after an offset, because the file was truncated.
    func forget(behind size: Int64) {
        state.withLock { state in
            state.whole = state.whole.filter { Int64($0.key + 1) * BlockHashes.blockSize <= size }
            state.running = state.running.filter { $0.value.position <= size }
        }
    }

    /// The digest of a block in a file of a size; `nil` if it is unknown.
    func digest(of block: Int, size: Int64) -> [UInt8]? {
        let start = Int64(block) * BlockHashes.blockSize
        let end = min(size, start + BlockHashes.blockSize)
        return state.withLock { state in
            if end == start + BlockHashes.blockSize { return state.whole[block] }
            if let running = state.running[block] {
                return running.position == end ? Array(running.sha1.finalize()) : nil
            }
            return size == 0 ? Array(Insecure.SHA1().finalize()) : nil
        }
    }

    /// Computes the digest of a block from the file's bytes; blocks the thread.
    static func digest(of block: Int, size: Int64, in file: borrowing Descriptor) throws -> [UInt8] {
        var sha1 = Insecure.SHA1()
        var position = Int64(block) * blockSize
        let end = min(size, position + blockSize)
        while position < end {
            let bytes = try file.read(at: position, count: Int(min(256 << 10, end - position)))
            guard bytes.readableBytes > 0 else { throw failure(ofReading: position) }
            bytes.withUnsafeReadableBytes { sha1.update(bufferPointer: $0) }
            position += Int64(bytes.readableBytes)
        }
        return Array(sha1.finalize())
    }

    /// Adds bytes inside one block.
    private func update(_ bytes: UnsafeRawBufferPointer, at position: Int64) {
        let block = Int(position / BlockHashes.blockSize)
        let taken = state.withLock { state -> Running? in
            state.whole[block] = nil
            let running = state.running.removeValue(forKey: block)
            if position % BlockHashes.blockSize == 0 { return Running(position: position) }
            return running?.position == position ? running : nil
        }
        guard var running = taken else { return }
        running.sha1.update(bufferPointer: bytes)
        running.position += Int64(bytes.count)
        state.withLock { [running] state in
            if running.position % BlockHashes.blockSize == 0 {
                state.whole[block] = Array(running.sha1.finalize())
            } else {
                state.running[block] = running
            }
        }
    }
}
