import Testing

@testable import FileClient

@Suite struct JSONStringTests {
    private static let escapes: [(String, String)] = [
        (#""ab\ud83d""#, "ab\u{fffd}"), (#""\ud83dx""#, "\u{fffd}x"), (#""\ude00""#, "\u{fffd}"),
        (#""\ud83d\u0041""#, "\u{fffd}A"), (#""\ud83d\n""#, "\u{fffd}\n"), (#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
        (#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"), (#""\ud83d\ude00""#, "😀"),
    ]

    @Test("half of a surrogate pair is U+FFFD, and the escape after it counts", arguments: JSONStringTests.escapes)
    func surrogates(text: String, expected: String) throws {
        #expect(try JSON(parsing: Array(text.utf8)) == .string(expected))
    }

    @Test(
        "a string with half of a surrogate pair is skipped like any other",
        arguments: JSONStringTests.escapes.map { $0.0 }
    )
    func skipped(text: String) throws {
        let end = try Array(text.utf8).withUnsafeBufferPointer { bytes in
            var reader = JSONReader(bytes)
            return try reader.skipValue().upperBound
        }
        #expect(end == text.utf8.count)
    }
}
