import HTTPTypes
import NIOCore
import NIOHPACK
import Testing

@testable import HTTPAPI

@Suite struct HeadLimitTests {
    private static let limit = HTTP2Limits.responseHead
    /// Characters with codes of 5, 8, 15, 19 and up to 24 bits for each byte.
    private static let characters = ["a", "X", "{", "\\", "文"]

    private func response(_ fields: HTTPFields) -> HTTPResponse {
        HTTPResponse(status: .ok, headerFields: fields)
    }

    private func response(of fields: [HTTPField]) -> HTTPResponse {
        var headers = HTTPFields()
        for field in fields { headers.append(field) }
        return HTTPResponse(status: .ok, headerFields: headers)
    }

    /// A field with a long value: a head with it alone has this encoded length, if that is from 300 to 16 500.
    private func field(_ name: HTTPField.Name, encoded length: Int) -> HTTPField {
        // A `0` has 5 bits, and the length of the value has two bytes more than that of an empty one.
        let rest = length - HeadLimit.encodedLength(of: response([name: ""])) - 2
        return HTTPField(name: name, value: String(repeating: "0", count: rest * 8 / 5))
    }

    private func encode(_ head: HTTPResponse, with encoder: inout HPACKEncoder) throws -> Int {
        var fields = HPACKHeaders()
        fields.add(name: ":status", value: "\(head.status.code)")
        for field in head.headerFields { fields.add(name: field.name.canonicalName, value: field.value) }
        var bytes = ByteBuffer()
        try encoder.encode(headers: fields, to: &bytes)
        return bytes.readableBytes
    }

    @Test("what NIO encodes is never longer, with any table", arguments: [0, 4096])
    func bound(tableSize: Int) throws {
        var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
        for number in 0..<300 {
            if number.isMultiple(of: 3) { try encoder.setDynamicTableSize(50) }
            try encoder.setDynamicTableSize(tableSize)
            var head = response([.contentType: "text/plain", .eTag: "\(number)"])
            head.headerFields.append(HTTPField(name: .known("x-\(number % 40)"), value: "a"))
            head.headerFields.append(HTTPField(name: .known("y"), value: ""))
            for character in HeadLimitTests.characters {
                let value = String(repeating: character, count: number)
                head.headerFields.append(HTTPField(name: .known("x-any"), value: value))
            }
            let length = try encode(head, with: &encoder)
            #expect(length <= HeadLimit.encodedLength(of: head))
        }
    }

    @Test("a short head fits with any bytes", arguments: characters)
    func short(character: String) {
        for count in stride(from: 0, to: 4096, by: 64) {
            let long = response([.known("x-a"): String(repeating: character, count: count)])
            let fields = (0..<count / 8).map { HTTPField(name: .known("x-\($0)"), value: character) }
            for head in [long, response(of: fields)] where HeadLimit.isShort(head.headerFields) {
                #expect(HeadLimit.encodedLength(of: head) < HeadLimitTests.limit - 500)
            }
        }
    }

    @Test("the heads of usual responses are short")
    func usual() {
        #expect(HeadLimit.isShort([:]))
        #expect(HeadLimit.isShort([.contentDisposition: String(repeating: "%E6", count: 1000)]))
        #expect(!HeadLimit.isShort([.contentDisposition: String(repeating: "%E6", count: 2000)]))
    }

    @Test("a head that fits stays", arguments: [300, 4000, 16_383, 16_384])
    func fitting(length: Int) {
        let head = response(of: [field(.uploadMetadata, encoded: length)])
        #expect(HeadLimit.encodedLength(of: head) == length)
        #expect(HeadLimit.limited(head) == head)
    }

    @Test("a field that the client can do without is left out if the head is too long", arguments: [16_385, 60_000])
    func dispensable(length: Int) {
        let offset = HTTPField(name: .uploadOffset, value: "5")
        for name in [HTTPField.Name.uploadMetadata, .uploadConcat] {
            let head = response(of: [field(name, encoded: length), offset])
            #expect(HeadLimit.limited(head) == response(of: [offset]))
        }
    }

    @Test("the longer one of two such fields is left out, and both only if necessary")
    func two() {
        let cases: [(Int, Int, [HTTPField.Name])] = [
            (10_000, 60_000, [.uploadMetadata]), (60_000, 10_000, [.uploadConcat]), (9000, 9100, [.uploadMetadata]),
            (20_000, 30_000, []),
        ]
        for (metadata, concatenation, rest) in cases {
            let fields = [
                field(.uploadMetadata, encoded: metadata), field(.uploadConcat, encoded: concatenation),
            ]
            let names = HeadLimit.limited(response(of: fields))?.headerFields.map(\.name)
            #expect(names == rest)
        }
    }

    @Test("a head that is too long by another field cannot be sent")
    func tooLong() {
        #expect(HeadLimit.limited(response(of: [field(.accessControlAllowHeaders, encoded: 16_385)])) == nil)
        let fields = [field(.uploadMetadata, encoded: 300), field(.location, encoded: 20_000)]
        #expect(HeadLimit.limited(response(of: fields)) == nil)
    }
}
