internal import Crypto
internal import Domain
internal import FoundationEssentials

/// The unit of sealed bytes: up to 65,536 bytes of plaintext, sealed alone, with 16 bytes of tag.
enum Frame {
    /// The bytes of a frame that is not the last one of its run.
    static let size: Int64 = 65_536
    /// What the tag adds.
    static let tagSize: Int64 = 16
    /// The sealed bytes of a frame that is not the last one.
    static let sealedSize = size + tagSize

    /// The number of frames of bytes.
    static func count(_ size: Int64) -> Int64 { (size + Frame.size - 1) / Frame.size }

    /// The size of bytes after they are sealed.
    static func sealed(_ size: Int64) -> Int64 { size + count(size) * tagSize }
}

/// A random key that seals the frames of one object.
struct FrameKey: Sendable, Hashable {
    let bytes: [UInt8]

    static let size = 32

    /// A new key.
    init() {
        var random = SystemRandomNumberGenerator()
        bytes = (0..<FrameKey.size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    /// A key that was stored; `nil` unless it has 32 bytes.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == FrameKey.size else { return nil }
        self.bytes = Array(bytes)
    }
}

/// Seals and opens frames with AES-256-GCM.
///
/// The nonce of a frame is its number, which the key must not have sealed with other bytes; so a frame opens only in its
/// place.
struct FrameCipher {
    private let key: SymmetricKey

    init(_ key: FrameKey) {
        self.key = SymmetricKey(data: key.bytes)
    }

    /// Appends a sealed frame.
    func seal(_ bytes: UnsafeRawBufferPointer, as number: Int64, to sealed: inout [UInt8]) throws {
        let box = try AES.GCM.seal(bytes, using: key, nonce: FrameCipher.nonce(number))
        sealed += box.ciphertext
        sealed += box.tag
    }

    /// The plaintext of a sealed frame.
    func open(_ bytes: UnsafeRawBufferPointer, as number: Int64) throws(SealError) -> Data {
        guard bytes.count > Int(Frame.tagSize) else { throw .forged }
        do {
            let box = try AES.GCM.SealedBox(
                nonce: FrameCipher.nonce(number),
                ciphertext: UnsafeRawBufferPointer(rebasing: bytes.dropLast(Int(Frame.tagSize))),
                tag: UnsafeRawBufferPointer(rebasing: bytes.suffix(Int(Frame.tagSize)))
            )
            return try AES.GCM.open(box, using: key)
        } catch {
            throw .forged
        }
    }

    /// Seals all bytes of a buffer as consecutive frames.
    func seal(all bytes: UnsafeRawBufferPointer, from first: Int64 = 0) throws -> [UInt8] {
        var sealed: [UInt8] = []
        sealed.reserveCapacity(Int(Frame.sealed(Int64(bytes.count))))
        var number = first
        var rest = bytes[...]
        while !rest.isEmpty {
            try seal(UnsafeRawBufferPointer(rebasing: rest.prefix(Int(Frame.size))), as: number, to: &sealed)
            rest = rest.dropFirst(Int(Frame.size))
            number += 1
        }
        return sealed
    }

    private static func nonce(_ number: Int64) throws -> AES.GCM.Nonce {
        let digits = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        return try AES.GCM.Nonce(data: [0, 0, 0, 0] + digits)
    }
}
