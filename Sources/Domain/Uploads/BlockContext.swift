internal import Crypto

/// The progress of a Kodo v1 block, which the client sends with each chunk (protocol/files 2.5).
///
/// Chunks are not stored as rows: 4 GB have 16 384 of them. The context contains the offset of the block and the number
/// of its written bytes. It is signed with a key that no client knows, so that only the upload to which it belongs
/// accepts it, and only until the next boot of the machine, because written bytes without a sync can then be lost.
package struct BlockContext: Sendable, Hashable {
    let number: Int
    /// The offset of the block in the staged file.
    let start: Int64
    /// The size of the complete block in bytes.
    package let size: Int64
    /// The number of bytes that are written.
    package let offset: Int64

    /// Whether the block is complete.
    package var isComplete: Bool { offset == size }

    init(number: Int, start: Int64, size: Int64, offset: Int64) {
        self.number = number
        self.start = start
        self.size = size
        self.offset = offset
    }

    /// Parses a context; `nil` if this upload did not sign it since the last boot of the machine.
    init?(_ text: some StringProtocol, signedBy key: SymmetricKey, in boot: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.prefix(4).compactMap { Int64($0) }
        guard parts.count == 5, numbers.count == 4, let signature = [UInt8](base64: parts[4]),
            let number = Int(exactly: numbers[0])
        else { return nil }
        self.init(number: number, start: numbers[1], size: numbers[2], offset: numbers[3])
        guard isPossible else { return nil }
        // A complete block is a row, which survives a power cut.
        let signed = Array(signedText(in: boot).utf8)
        guard HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: signed, using: key) else { return nil }
    }

    /// Whether the numbers can be those of a block.
    private var isPossible: Bool {
        number >= 1 && (1...UploadHandle.blockSize).contains(size) && (0...size).contains(offset)
            && (0...Int64.max - size).contains(start)
    }

    /// The context after further bytes.
    func adding(_ count: Int64) -> BlockContext {
        BlockContext(number: number, start: start, size: size, offset: offset + count)
    }

    func text(signedBy key: SymmetricKey, in boot: String) -> String {
        let signature = HMAC<SHA256>.authenticationCode(for: Array(signedText(in: boot).utf8), using: key)
        return "\(number).\(start).\(size).\(offset).\(signature.base64URL)"
    }

    private func signedText(in boot: String) -> String {
        "\(number).\(start).\(size).\(offset).\(isComplete ? "" : boot)"
    }
}
