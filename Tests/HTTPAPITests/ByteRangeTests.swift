import Domain
import HTTPTypes
import Testing

@testable import HTTPAPI

@Suite struct ByteRangeTests {
    private func range(_ text: String, of size: Int64 = 100) -> ByteRange {
        ByteRange([.range: text], of: size, tag: EntityTag(strong: "x"), modified: nil)
    }

    @Test(
        "several ranges are parts in the order of the request",
        arguments: [
            ("bytes=0-1,5-6", [0..<2, 5..<7]), ("bytes=5-6,0-1", [5..<7, 0..<2]), ("bytes=0-1,-2", [0..<2, 98..<100]),
            ("bytes=0-0, 2-2\t,4-4", [0..<1, 2..<3, 4..<5]), ("bytes=,0-0,,2-2,", [0..<1, 2..<3]),
            ("bytes=0-0,2-2,100-", [0..<1, 2..<3]), ("bytes=90-200,0-0", [90..<100, 0..<1]),
        ] as [(String, [Range<Int64>])]
    )
    func several(text: String, parts: [Range<Int64>]) {
        #expect(range(text) == .parts(parts))
    }

    @Test(
        "ranges that overlap or touch are one",
        arguments: [
            ("bytes=0-1,2-3", .part(0..<4)), ("bytes=2-3,0-1", .part(0..<4)), ("bytes=0-5,3-8", .part(0..<9)),
            ("bytes=0-9,3-4", .part(0..<10)), ("bytes=0-1,5-6,2-4", .part(0..<7)),
            ("bytes=5-6,50-51,0-1,2-4", .parts([0..<7, 50..<52])), ("bytes=50-51,5-6,0-4", .parts([50..<52, 0..<7])),
            ("bytes=0-0,0-0", .part(0..<1)), ("bytes=0-49,50-", .part(0..<100)),
        ] as [(String, ByteRange)]
    )
    func coalesced(text: String, expected: ByteRange) {
        #expect(range(text) == expected)
    }

    @Test(
        "one of several ranges that the file has is a single range",
        arguments: ["bytes=3-4,100-", "bytes=100-,3-4,200-300", "bytes=3-4,-0", "bytes=,3-4"]
    )
    func single(text: String) {
        #expect(range(text) == .part(3..<5))
    }

    @Test("ranges of which the file has none are not satisfiable", arguments: ["bytes=100-,200-", "bytes=-0,-0"])
    func unsatisfiable(text: String) {
        #expect(range(text) == .unsatisfiable)
    }

    @Test(
        "a malformed range among others selects the whole",
        arguments: ["bytes=0-1,5-4", "bytes=0-1,x", "bytes=0-1,-", "bytes=,", "bytes=0-1;5-6", "bytes=0-1,5 - 6"]
    )
    func malformed(text: String) {
        #expect(range(text) == .whole)
    }

    @Test(
        "ranges that are longer than the file together select the whole",
        arguments: [("bytes=0-,-1", .whole), ("bytes=0-,0-", .whole), ("bytes=0-98,99-99", .part(0..<100))]
            as [(String, ByteRange)]
    )
    func longer(text: String, expected: ByteRange) {
        #expect(range(text) == expected)
    }

    @Test("a hundred ranges are served, more select the whole", arguments: [(100, true), (101, false)])
    func most(count: Int, isServed: Bool) {
        let text = "bytes=" + (0..<count).map { "\($0 * 2)-\($0 * 2)" }.joined(separator: ",")
        let parts = (0..<Int64(count)).map { $0 * 2..<$0 * 2 + 1 }
        #expect(range(text, of: 1000) == (isServed ? .parts(parts) : .whole))
    }

    @Test("two lines of Range are no valid range")
    func twoLines() {
        var headers = HTTPFields()
        headers.append(HTTPField(name: .range, value: "bytes=0-1"))
        headers.append(HTTPField(name: .range, value: "bytes=5-6"))
        #expect(ByteRange(headers, of: 100, tag: EntityTag(strong: "x"), modified: nil) == .whole)
    }

    @Test(
        "several ranges count only for the representation they were meant for",
        arguments: [("\"x\"", .parts([0..<1, 2..<3])), ("W/\"x\"", .whole), ("\"y\"", .whole), ("*", .whole)]
            as [(String, ByteRange)]
    )
    func condition(tag: String, expected: ByteRange) {
        let headers: HTTPFields = [.range: "bytes=0-0,2-2", .ifRange: tag]
        #expect(ByteRange(headers, of: 100, tag: EntityTag(strong: "x"), modified: nil) == expected)
    }

    @Test("a part has the type and the range, and the body ends with the boundary")
    func multipart() {
        let type = MediaType("text/plain")!
        let parts = MultipartRanges([0..<2, 5..<7], of: 10, mediaType: type, boundary: "b")
        #expect(parts.contentType == "multipart/byteranges; boundary=b")
        #expect(
            parts.pieces == [
                .text("--b\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n"), .range(0..<2),
                .text("\r\n--b\r\nContent-Type: text/plain\r\nContent-Range: bytes 5-6/10\r\n\r\n"), .range(5..<7),
                .text("\r\n--b--\r\n"),
            ]
        )
    }

    @Test("each response has another boundary")
    func boundaries() {
        let type = MediaType("text/plain")!
        let types = (0..<100).map { _ in MultipartRanges([0..<1, 2..<3], of: 10, mediaType: type).contentType }
        #expect(Set(types).count == 100)
    }
}
