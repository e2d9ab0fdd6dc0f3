internal import CZlib
internal import Crypto
internal import Domain

/// The digests of a writer's bytes in their order.
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
