import Domain
import Support
import Testing

@Suite struct Base64Tests {
    @Test(
        "bytes are written in the alphabet for URLs, padded",
        arguments: [
            ([], ""), ([0], "AA=="), ([0, 0], "AAA="), ([0, 0, 0], "AAAA"), ([0xfb, 0xff, 0xbf], "-_-_"),
            ([0xff, 0xff], "__8="),
        ] as [([UInt8], String)]
    )
    func written(bytes: [UInt8], expected: String) {
        #expect(bytes.base64URL == expected)
    }

    @Test(
        "both alphabets are read, padded or not",
        arguments: ["-_-_-w==", "-_-_-w", "+/+/+w==", "+/+/+w", "-_+/-w==", "-/+_+w"]
    )
    func read(text: String) {
        #expect([UInt8](base64: text) == [0xfb, 0xff, 0xbf, 0xfb])
    }

    @Test("text of no letters is no bytes")
    func empty() {
        #expect([UInt8](base64: "") == [])
    }

    @Test(
        "what is no Base64 is not read",
        arguments: [
            "A", "AAAAA", "A=", "A===", "AA=A", "=AAA", "====", "AA AA", "AAAA\n", "AA.A", "AA%3D", "AA==AA==",
            "AA\u{0}A", "A\u{e9}AA", "照片",
        ]
    )
    func refused(text: String) {
        #expect([UInt8](base64: text) == nil)
    }

    @Test("a part of a text is read like a text")
    func substring() {
        let text = "key/-_-_/end"
        #expect([UInt8](base64: text.dropFirst(4).prefix(4)) == [0xfb, 0xff, 0xbf])
    }

    @Test("random bytes come back from every form", arguments: 0..<50)
    func roundTrip(count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let padded = bytes.base64URL
        let bare = padded.replacing("=", with: "")
        for text in [padded, bare] {
            let standard = text.replacing("-", with: "+").replacing("_", with: "/")
            #expect([UInt8](base64: text) == bytes)
            #expect([UInt8](base64: standard) == bytes)
        }
    }
}
