import Crypto
import Testing

@testable import Domain

@Suite struct BlockContextTests {
    private let key = SymmetricKey(data: Array("this upload".utf8))
    private let unfinished = BlockContext(number: 3, start: 8 << 20, size: 4 << 20, offset: 256 << 10)
    private let whole = BlockContext(number: 3, start: 8 << 20, size: 4 << 20, offset: 4 << 20)

    @Test("a context is taken back as it was given")
    func roundTrip() {
        for context in [unfinished, whole] {
            let text = context.text(signedBy: key, in: "boot")
            #expect(BlockContext(text, signedBy: key, in: "boot") == context)
        }
    }

    @Test("a context goes into a path and a list as it is")
    func characters() {
        let text = unfinished.text(signedBy: key, in: "boot")
        #expect(text.wholeMatch(of: /[0-9A-Za-z._=-]+/) != nil)
    }

    @Test("a context of another upload is none")
    func foreign() {
        let other = SymmetricKey(data: Array("another one".utf8))
        for context in [unfinished, whole] {
            let text = context.text(signedBy: other, in: "boot")
            #expect(BlockContext(text, signedBy: key, in: "boot") == nil)
        }
    }

    @Test("after a boot of the machine, whose bytes may be lost, an unfinished block is none")
    func otherBoot() {
        let text = unfinished.text(signedBy: key, in: "boot")
        #expect(BlockContext(text, signedBy: key, in: "next boot") == nil)
    }

    @Test("a whole block, which was synced, is one after any boot")
    func wholeAfterBoot() {
        let text = whole.text(signedBy: key, in: "boot")
        #expect(BlockContext(text, signedBy: key, in: "next boot") == whole)
    }

    @Test("a context whose numbers were changed is none", arguments: 0..<4)
    func changed(index: Int) {
        for context in [unfinished, whole] {
            var parts = context.text(signedBy: key, in: "boot").split(separator: ".").map(String.init)
            parts[index] += "0"
            #expect(BlockContext(parts.joined(separator: "."), signedBy: key, in: "boot") == nil)
        }
    }

    @Test("the signature of an unfinished block makes none whole")
    func notWhole() {
        let parts = unfinished.text(signedBy: key, in: "boot").split(separator: ".").map(String.init)
        let text = "3.\(8 << 20).\(4 << 20).\(4 << 20).\(parts[4])"
        #expect(BlockContext(text, signedBy: key, in: "boot") == nil)
    }

    @Test(
        "what is no context is none",
        arguments: [
            "", ".", "....", "1.2.3.4", "1.2.3.4.", "1.2.3.4.!", "a.b.c.d.e", "1.2.3.4.5.6",
            "1.2.3.99999999999999999999.AA", "-9223372036854775808.0.1.1.AAAA",
        ]
    )
    func garbage(text: String) {
        #expect(BlockContext(text, signedBy: key, in: "boot") == nil)
    }

    @Test(
        "numbers that no block has are none, also if they are signed",
        arguments: [
            (0, 0, 1, 0), (-1, 0, 1, 0), (.min, 0, 1, 0), (1, -1, 1, 0), (1, .max, 1, 0), (1, 0, 0, 0), (1, 0, -1, 0),
            (1, 0, (4 << 20) + 1, 0), (1, 0, .max, 0), (1, 0, .min, 1), (1, 0, 1, -1), (1, 0, 1, 2), (1, 0, 1, .min),
        ] as [(Int, Int64, Int64, Int64)]
    )
    func impossible(number: Int, start: Int64, size: Int64, offset: Int64) {
        let text = BlockContext(number: number, start: start, size: size, offset: offset)
            .text(signedBy: key, in: "boot")
        #expect(BlockContext(text, signedBy: key, in: "boot") == nil)
    }
}
