import Domain
import Testing

/// What is no number where a number must stand.
@Suite struct ImageNumberTests {
    @Test(
        "what is no number is refused with the name of its parameter, or if it is not ASCII with itself",
        arguments: ["imageView2/2/w/", "imageView/1/h/", "imageMogr2/rotate/", "imageMogr2/quality/"],
        [
            "-1", "-0", "+5", "1e5", "1e-5", "0x10", "0b1", "NaN", "nan", "inf", "-inf", "Infinity", "1.2.3", ".",
            ".5.", "1,5", "1_000", "١٠", "５", "1 0", " 5", "5 ", "five", "null", "true", "$(id)", "${w}",
            String(repeating: "9", count: 33), "1" + String(repeating: "0", count: 500),
            "0." + String(repeating: "0", count: 40) + "1", "2147483648", "4294967296", "9223372036854775808",
            "18446744073709551616", "1e400", "--5", "5-", "5%", "5p", "½", "Ⅳ", "\0", "5\n",
        ]
    )
    func number(operations: String, number: String) {
        let error = #expect(throws: ServiceError.self) { try ImageRequest.read(operations + number.escaped) }
        #expect(error?.code == .badImageRequest)
        let name = String(operations.split(separator: "/").last ?? "")
        let named = number.utf8.allSatisfy { $0 < 0x80 } ? name : number
        #expect(error?.message.contains("'\(named)'") == true, "\(error?.message ?? "")")
    }
}

extension String {
    /// Each byte percent-encoded.
    fileprivate var escaped: String { utf8.map { "%" + [$0].hexadecimal }.joined() }
}
