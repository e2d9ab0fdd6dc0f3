import FileClient
import Support
import Testing

@testable import Commands

@Suite struct KnownImageListTests {
    private static let digits = String(repeating: "0123456789abcdef", count: 4)

    @Test(
        "an entry is a hash with its kind, and behind it a note",
        arguments: [
            ("sha256:\(digits)", KnownImage(sha256: digits)), ("pdq:\(digits)", KnownImage(pdq: digits)),
            ("PDQ \(digits)", KnownImage(pdq: digits)), ("pdq,\(digits),seen", KnownImage(pdq: digits, note: "seen")),
            (digits, KnownImage(sha256: digits)), (digits.uppercased(), KnownImage(sha256: digits)),
            ("sha256: \(digits)\t a note ", KnownImage(sha256: digits, note: "a note")),
            ("", nil), ("photo.jpg", nil), (String(digits.dropLast()), nil), (digits + "0", nil),
            ("md5:\(digits)", nil), ("sha256\(digits)", nil), ("pdq:", nil), ("pdq:\(digits)x", nil),
        ] as [(String, KnownImage?)]
    )
    func entries(text: String, image: KnownImage?) {
        #expect(KnownImageList.entry(text) == image)
    }

    @Test("digits without a kind have that of the option")
    func kind() {
        #expect(KnownImageList.entry(Self.digits, otherwise: .pdq) == KnownImage(pdq: Self.digits))
        #expect(KnownImageList.entry("sha256:\(Self.digits)", otherwise: .pdq) == KnownImage(sha256: Self.digits))
    }

    @Test("a list has comments, empty lines, any line ends and a byte order mark")
    func list() throws {
        let text = "\u{FEFF}# from\r\n\r\nsha256:\(Self.digits) one\r\n   \n  pdq:\(Self.digits)\n#end"
        let entries = try KnownImageList.entries(in: text, named: "list", otherwise: .sha256)
        #expect(entries == [KnownImage(sha256: Self.digits, note: "one"), KnownImage(pdq: Self.digits)])
        #expect(try KnownImageList.entries(in: "", named: "list", otherwise: .sha256) == [])
    }

    @Test("a wrong line is named, and nothing is taken")
    func wrongLine() {
        let error = #expect(throws: UsageError.self) {
            try KnownImageList.entries(in: "\(Self.digits)\n\nnonsense\n", named: "list", otherwise: .sha256)
        }
        #expect(error?.description == "list, line 3: neither sha256:<64 digits> nor pdq:<64 digits>")
    }

    @Test("what is neither a hash nor a file is refused")
    func neither() {
        let error = #expect(throws: UsageError.self) {
            try KnownImageList.entries(of: "no/such/file", otherwise: .sha256)
        }
        #expect(error?.description.contains("neither a hash nor a text file") == true)
    }
}
