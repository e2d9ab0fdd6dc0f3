/// A PDQ hash: 256 bits that differ in few places between copies of an image that were resized or compressed again
/// (Meta, "The TMK+PDQF Video-Hashing Algorithm and the PDQ Image-Hashing Algorithm", 2019).
package struct PerceptualHash: Sendable, Hashable, CustomStringConvertible {
    /// The bits, the most significant word first, as in the hexadecimal form.
    package let words: SIMD4<UInt64>
    /// How much structure the image has, 0 to 100; hashes below ``usefulQuality`` match unrelated images.
    package let quality: Int

    /// The quality from which a hash is compared; the value that the paper recommends.
    package static let usefulQuality = 50

    /// Creates a hash from its bits.
    package init(words: SIMD4<UInt64>, quality: Int) {
        self.words = words
        self.quality = quality
    }

    /// Parses 64 hexadecimal digits, the form in which lists of hashes are exchanged; `nil` for other texts.
    package init?(_ text: String) {
        guard text.utf8.count == 64, let bytes = [UInt8](hexadecimal: text) else { return nil }
        var words = SIMD4<UInt64>.zero
        for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
        self.init(words: words, quality: 100)
    }

    /// 64 lower-case hexadecimal digits.
    package var description: String {
        (0..<4).map { index in
            let digits = String(words[index], radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// The number of bits that differ, 0 to 256.
    package func distance(to other: PerceptualHash) -> Int {
        let bits = words ^ other.words
        return bits[0].nonzeroBitCount + bits[1].nonzeroBitCount + bits[2].nonzeroBitCount + bits[3].nonzeroBitCount
    }
}
