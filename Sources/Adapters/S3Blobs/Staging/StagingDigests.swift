internal import CZlib
internal import Crypto
internal import Domain
internal import Synchronization

/// The digests of a writer's bytes in their order, and the MD5 of all staged bytes as long as they come in order.
struct RunningDigests {
    private var crc32: UInt?
    private var md5: Insecure.MD5?
    private var sha1: Insecure.SHA1?
    private var sha256: SHA256?

    init(_ kinds: Set<DigestKind>) {
        if kinds.contains(.crc32) { crc32 = 0 }
        if kinds.contains(.md5) { md5 = Insecure.MD5() }
        if kinds.contains(.sha1) { sha1 = Insecure.SHA1() }
        if kinds.contains(.sha256) { sha256 = SHA256() }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if let sum = crc32 { crc32 = crc32_z(sum, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) }
        md5?.update(bufferPointer: bytes)
        sha1?.update(bufferPointer: bytes)
        sha256?.update(bufferPointer: bytes)
    }

    /// The digests of all bytes so far; a CRC is big-endian.
    var values: [DigestKind: [UInt8]] {
        var values: [DigestKind: [UInt8]] = [:]
        if let crc32 { values[.crc32] = (0..<4).reversed().map { UInt8(truncatingIfNeeded: crc32 >> ($0 * 8)) } }
        if let md5 { values[.md5] = Array(md5.finalize()) }
        if let sha1 { values[.sha1] = Array(sha1.finalize()) }
        if let sha256 { values[.sha256] = Array(sha256.finalize()) }
        return values
    }
}

/// The MD5 of staged bytes that one server writes in order, up to ``BlobFacts/md5Limit``.
final class StagedMD5: Sendable {
    private struct State {
        var md5 = Insecure.MD5()
        var position: Int64 = 0
        var isLost = false
    }

    private let state = Mutex(State())

    /// Adds bytes that are written at an offset; bytes that were there before lose the digest.
    func update(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        state.withLock { state in
            let end = offset + Int64(bytes.count)
            // A later offset does not lose the digest: the bytes before it can still come.
            if offset < state.position || end > BlobFacts.md5Limit { state.isLost = true }
            guard !state.isLost, offset == state.position else { return }
            state.md5.update(bufferPointer: bytes)
            state.position = end
        }
    }

    /// The MD5 of a number of bytes as hexadecimal digits; `nil` if they have to be read for it.
    func known(of size: Int64) -> String? {
        state.withLock { state in
            !state.isLost && state.position == size ? state.md5.finalize().hexadecimal : nil
        }
    }
}
