internal import Crypto
internal import FoundationEssentials

/// The two digests by which the server identifies bytes: MD5 (`metaData._checksum`) and Qiniu's hash (the ETag).
///
/// Qiniu's hash is a SHA-1 over the SHA-1 of each 4 MiB, or the SHA-1 of a file of at most 4 MiB, behind a byte that
/// tells these cases apart.
public struct FileDigest: Sendable {
    private static let blockSize = 4 << 20
    private var whole = Insecure.MD5()
    private var block = Insecure.SHA1()
    private var blocks = Insecure.SHA1()
    private var first: [UInt8] = []
    private var blockCount = 0
    private var filled = 0

    /// The digests of no bytes.
    public init() {}

    /// Adds the next bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        whole.update(bufferPointer: bytes)
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(FileDigest.blockSize - filled)
            block.update(bufferPointer: UnsafeRawBufferPointer(rebasing: piece))
            filled += piece.count
            rest = rest.dropFirst(piece.count)
            if filled == FileDigest.blockSize { endBlock() }
        }
    }

    /// The MD5 in lower-case hexadecimal.
    public var md5: String {
        whole.finalize().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// Qiniu's hash, in the URL-safe alphabet of Base64.
    public var qiniuHash: String {
        var copy = self
        if copy.filled > 0 || copy.blockCount == 0 { copy.endBlock() }
        let digest = copy.blockCount == 1 ? [0x16] + copy.first : [0x96] + Array(copy.blocks.finalize())
        return Data(digest).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    }

    private mutating func endBlock() {
        let digest = Array(block.finalize())
        if blockCount == 0 { first = digest }
        digest.withUnsafeBytes { blocks.update(bufferPointer: $0) }
        blockCount += 1
        block = Insecure.SHA1()
        filled = 0
    }
}
