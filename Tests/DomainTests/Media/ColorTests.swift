import Testing

@testable import Domain

/// Colours as URLs write them (CSS Color 4, sections 5.2 and 6.1).
@Suite struct ColorTests {
    @Test("all of CSS's names are known, in any case")
    func names() {
        #expect(Color.names.count == 148)
        for (name, value) in Color.names {
            #expect(name.utf8.count <= 20)
            let written = "#" + [UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255)].hexadecimal
            #expect(Color(css: name) == Color(css: written))
            #expect(Color(css: name.uppercased()) == Color(css: written.uppercased()))
        }
    }

    @Test(
        "both spellings of gray and both names of two colours are equal",
        arguments: [
            ("gray", "grey"), ("darkgray", "darkgrey"), ("dimgray", "dimgrey"), ("lightgray", "lightgrey"),
            ("slategray", "slategrey"), ("darkslategray", "darkslategrey"), ("lightslategray", "lightslategrey"),
            ("aqua", "cyan"), ("fuchsia", "magenta"),
        ]
    )
    func twins(one: String, other: String) {
        #expect(Color(css: one) != nil)
        #expect(Color(css: one) == Color(css: other))
    }

    @Test("three digits stand for six, each twice")
    func short() {
        #expect(Color(css: "#1aF") == Color(red: 0x11, green: 0xaa, blue: 0xff))
        #expect(Color(css: "#11aaff")?.description == "11aaff")
    }

    @Test(
        "everything else is no colour",
        arguments: [
            "", "#", "#1", "#12", "#1234", "#12345", "#1234567", "#12345678", "ffffff", "fff", "#+12", "#12 ", " red",
            "red ", "rgb(1,2,3)", "#１２３", "r\u{435}d", "red\u{0}", "currentColor", "none", "#\u{0}\u{0}\u{0}",
        ]
    )
    func none(text: String) {
        #expect(Color(css: text) == nil)
    }
}
