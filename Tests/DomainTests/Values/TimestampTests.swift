import Domain
import Testing

@Suite struct TimestampTests {
    @Test(
        "the wire form has three digits of milliseconds and a Z",
        arguments: [
            (1_714_636_800_123, "2024-05-02T08:00:00.123Z"),
            (1_714_636_800_000, "2024-05-02T08:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (Timestamp.range.lowerBound, "0000-01-01T00:00:00.000Z"),
            (Timestamp.range.upperBound, "9999-12-31T23:59:59.999Z"),
            (.min, "0000-01-01T00:00:00.000Z"),
            (.max, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)]
    )
    func wireForm(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).iso8601 == text)
    }

    @Test("every millisecond of a second is written as itself")
    func everyMillisecond() {
        for millisecond in 0..<Int64(1000) {
            let text = Timestamp(milliseconds: 1_714_636_800_000 + millisecond).iso8601
            #expect(Int(text.dropFirst(20).prefix(3)) == Int(millisecond))
        }
    }

    @Test("the HTTP form is RFC 9110's")
    func httpForm() {
        #expect(Timestamp(milliseconds: 784_111_777_000).httpDate == "Sun, 06 Nov 1994 08:49:37 GMT")
    }
}
