import Testing

@testable import Domain

@Suite struct HTTPDateTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    @Test(
        "all forms of a date are read",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Wed Nov 16 08:49:37 1994", 784_975_777),
            ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800), ("Wednesday, 01-Jan-75 00:00:00 GMT", 157_766_400),
            ("Friday, 01-Jan-60 00:00:00 GMT", 2_840_140_800), ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800),
        ] as [(String, Int64)]
    )
    func read(text: String, seconds: Int64) {
        #expect(Timestamp(httpDate: text, now: HTTPDateTests.now)?.milliseconds == seconds * 1000)
    }

    @Test("what is written is read")
    func written() {
        for seconds in stride(from: 0, to: 4_000_000_000, by: 86_400_007) as StrideTo<Int64> {
            let moment = Timestamp(milliseconds: seconds * 1000)
            #expect(Timestamp(httpDate: moment.httpDate) == moment)
        }
    }

    @Test(
        "other texts are no dates",
        arguments: [
            "", "yesterday", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sun, 06-Nov-94 08:49:37 GMT", "Sun Nov 6 08:49:37 94", "Sun Nov 006 08:49:37 1994", "784111777",
            "Sun, 06 Nov +199 08:49:37 GMT", "1994-11-06T08:49:37Z", "Sun, 00 Nov 1994 08:49:37 GMT",
            ", 06 Nov 1994 08:49:37 GMT",
        ]
    )
    func others(text: String) {
        #expect(Timestamp(httpDate: text, now: HTTPDateTests.now) == nil)
    }
}
