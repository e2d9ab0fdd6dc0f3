internal import Crypto

/// How far a Kodo v1 block came, as its client carries it around (protocol/files 2.5).
///
/// Chunks are not rows: 4 GB have 16 384 of them. The context says where the block lies and how much of it was written;
/// it is signed, so that it is believed only by the upload it belongs to, and only until the machine boots again, which
/// is when bytes that were written and not synced may be lost.
package struct BlockContext: Sendable, Hashable {
    let number: Int
    /// Where the block begins in the staged file.
    let start: Int64
    /// How many bytes the block has when it is whole.
    package let size: Int64
    /// How many of them are there.
    package let offset: Int64

    /// Whether the block is whole.
    package var isComplete: Bool { offset == size }

    init(number: Int, start: Int64, size: Int64, offset: Int64) {
        self.number = number
        self.start = start
        self.size = size
        self.offset = offset
    }

    /// Reads a context; `nil` if this upload did not sign it, or not since the machine booted.
    init?(_ text: some StringProtocol, signedBy key: SymmetricKey, in boot: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.prefix(4).compactMap { Int64($0) }
        guard parts.count == 5, numbers.count == 4, let signature = [UInt8](base64: parts[4]),
            let number = Int(exactly: numbers[0])
        else { return nil }
        self.init(number: number, start: numbers[1], size: numbers[2], offset: numbers[3])
        // A whole block is a row, which a power cut does not take.
        let signed = Array(signedText(in: boot).utf8)
        guard HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: signed, using: key) else { return nil }
    }

    /// The block with so many bytes more.
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
