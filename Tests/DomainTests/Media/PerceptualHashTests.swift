import Domain
import Testing

@Suite("Perceptual hashes")
struct PerceptualHashTests {
    @Test("A hash is read from 64 hexadecimal digits and written the same")
    func text() throws {
        let text = "f8f8f0cee0f4a84f06370a22038f63f0b36e2ed596621e1d33e6b39c4e9c9b22"
        let hash = try #require(PerceptualHash(text))
        #expect(hash.description == text)
        #expect(hash.words[0] == 0xf8f8_f0ce_e0f4_a84f)
    }

    @Test(
        "Other texts are no hashes",
        arguments: ["", "f8", String(repeating: "g", count: 64), String(repeating: "0", count: 66)]
    )
    func refused(_ text: String) {
        #expect(PerceptualHash(text) == nil)
    }

    @Test("The distance is the number of bits that differ")
    func distance() throws {
        let zero = PerceptualHash(words: .zero, quality: 100)
        let one = PerceptualHash(words: SIMD4(1, 0, 0, 1 << 63), quality: 100)
        #expect(zero.distance(to: zero) == 0)
        #expect(zero.distance(to: one) == 2)
        #expect(zero.distance(to: PerceptualHash(words: SIMD4(repeating: .max), quality: 100)) == 256)
    }
}
