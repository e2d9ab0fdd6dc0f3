internal import CZlib
internal import Crypto
internal import Domain
internal import NIOCore
internal import Synchronization

/// A digest of bytes in the order in which they are added; one task at a time adds bytes.
final class RunningDigest: Sendable {
    private enum State: Sendable {
        case crc32(UInt)
        case md5(Insecure.MD5)
        case sha1(Insecure.SHA1)
        case sha256(SHA256)
    }

    private let state: Mutex<State>

    init(_ kind: DigestKind) {
        switch kind {
        case .crc32: state = Mutex(.crc32(0))
        case .md5: state = Mutex(.md5(Insecure.MD5()))
        case .sha1: state = Mutex(.sha1(Insecure.SHA1()))
        case .sha256: state = Mutex(.sha256(SHA256()))
        }
    }

    func update(_ buffers: [ByteBuffer]) {
        state.withLock { state in
            for buffer in buffers { buffer.withUnsafeReadableBytes { RunningDigest.update(&state, $0) } }
        }
    }

    /// The digest of all bytes so far; a CRC is big-endian.
    var value: [UInt8] {
        switch state.withLock({ $0 }) {
        case .crc32(let sum): (0..<4).reversed().map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) }
        case .md5(let hash): Array(hash.finalize())
        case .sha1(let hash): Array(hash.finalize())
        case .sha256(let hash): Array(hash.finalize())
        }
    }

    private static func update(_ state: inout State, _ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .crc32(let sum):
            state = .crc32(crc32_z(sum, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
        case .md5(var hash):
            hash.update(bufferPointer: bytes)
            state = .md5(hash)
        case .sha1(var hash):
            hash.update(bufferPointer: bytes)
            state = .sha1(hash)
        case .sha256(var hash):
            hash.update(bufferPointer: bytes)
            state = .sha256(hash)
        }
    }
}
