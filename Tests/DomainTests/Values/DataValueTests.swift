import Domain
import Testing

@Suite struct DataValueTests {
    @Test(
        "times are read with any fraction and any offset, and written in one form",
        arguments: [
            ("2024-03-01T08:00:00.120Z", "2024-03-01T08:00:00.120Z"),
            ("2024-03-01T08:00:00Z", "2024-03-01T08:00:00.000Z"),
            ("2024-03-01 08:00:00Z", "2024-03-01T08:00:00.000Z"),
            ("2024-03-01T08:00:00.1Z", "2024-03-01T08:00:00.100Z"),
            ("2024-03-01T08:00:00.123999Z", "2024-03-01T08:00:00.123Z"),
            ("2024-03-01T08:00:00.120+08:00", "2024-03-01T00:00:00.120Z"),
            ("2024-02-29T00:00:00-0130", "2024-02-29T01:30:00.000Z"),
            ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
            ("0000-01-01T00:00:00.000Z", "0000-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
            ("1900-03-01T00:00:00.000Z", "1900-03-01T00:00:00.000Z"),
            ("2000-02-29T12:00:00.000Z", "2000-02-29T12:00:00.000Z"),
        ]
    )
    func times(text: String, expected: String) throws {
        #expect(try #require(Timestamp(iso8601: text)).iso8601 == expected)
    }

    @Test(
        "what is no time is none",
        arguments: [
            "", "2024", "2024-03-01", "2024-03-01T08:00:00", "2024-13-01T00:00:00Z", "2024-02-30T00:00:00Z",
            "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2024-03-01T24:00:00Z", "2024-03-01T08:60:00Z",
            "2024-03-01T08:00:60Z", "2024-03-01T08:00:00.Z", "2024-03-01T08:00:00.1234567890Z", "2024-03-01T08:00:00z",
            "2024-03-01T08:00:00.120Z ", "0000-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00",
            "२०२४-03-01T08:00:00Z",
        ]
    )
    func noTimes(text: String) {
        #expect(Timestamp(iso8601: text) == nil)
    }

    @Test(
        "numbers compare exactly, whole and with a fraction",
        arguments: [
            (.integer(1), .number(1), 0), (.integer(9_007_199_254_740_993), .number(9_007_199_254_740_992), 1),
            (.integer(.max), .number(0x1p63), -1), (.integer(.min), .number(-0x1p63), 0),
            (.integer(-1), .number(-0.5), -1),
            (.number(-1.5), .integer(-1), -1), (.number(1e300), .integer(.max), 1), (.number(-0.0), .integer(0), 0),
        ] as [(JSONValue, JSONValue, Int)]
    )
    func numbers(left: JSONValue, right: JSONValue, expected: Int) {
        #expect(left.compare(to: right) == expected)
        #expect(right.compare(to: left) == -expected)
        #expect(left.isSame(as: right) == (expected == 0))
    }

    @Test("strings are compared by bytes, values of different kinds not at all")
    func kinds() {
        #expect(!JSONValue.string("\u{e9}").isSame(as: .string("e\u{301}")))
        #expect(JSONValue.string("Z").compare(to: .string("a")) == -1)
        #expect(JSONValue.string("1").compare(to: .integer(1)) == nil)
        #expect(JSONValue.bool(true).compare(to: .integer(1)) == nil)
        #expect(JSONValue.null.compare(to: .null) == nil)
    }

    @Test(
        "values come into one form",
        arguments: [
            (
                #"{"__type":"Date","iso":"2024-03-01T08:00:00Z"}"#,
                #"{"__type":"Date","iso":"2024-03-01T08:00:00.000Z"}"#
            ),
            (
                #"{"__type":"GeoPoint","latitude":40,"longitude":-30}"#,
                #"{"__type":"GeoPoint","latitude":40.0,"longitude":-30.0}"#
            ),
            (
                #"{"__type":"Pointer","className":"A","objectId":"x","more":1}"#,
                #"{"__type":"Pointer","className":"A","objectId":"x"}"#
            ),
            (#"{"__type":"File","id":"x","name":"n"}"#, #"{"__type":"Pointer","className":"_File","objectId":"x"}"#),
            (#"{"__type":"File","objectId":"x"}"#, #"{"__type":"Pointer","className":"_File","objectId":"x"}"#),
            (
                #"{"__type":"File","objectId":null,"id":"x"}"#,
                #"{"__type":"Pointer","className":"_File","objectId":"x"}"#
            ),
            (
                #"{"__type":"File","objectId":"x","id":null}"#,
                #"{"__type":"Pointer","className":"_File","objectId":"x"}"#
            ),
            (
                #"{"__type":"Object","className":"A","objectId":"x"}"#,
                #"{"__type":"Pointer","className":"A","objectId":"x"}"#
            ),
            (#"[{"a":{"__type":"Bytes","base64":"aGk="}}]"#, #"[{"a":{"__type":"Bytes","base64":"aGk="}}]"#),
            (#"{"__type":"Bytes","base64":"aGlo\r\naQ=="}"#, #"{"__type":"Bytes","base64":"aGloaQ=="}"#),
            (#"{"__type":"Bytes","base64":"aGlo\naQ==\n"}"#, #"{"__type":"Bytes","base64":"aGloaQ=="}"#),
        ]
    )
    func normalized(text: String, expected: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8), field: "x").normalized(field: "x")
        #expect(String(decoding: value.encoded(), as: UTF8.self) == expected)
    }

    @Test("Base64 with CR LF after every 64 letters, as Objective-C writes it, gets one line", arguments: 47...98)
    func lines(count: Int) throws {
        let digits = (0..<UInt8(count)).base64URL.replacing("-", with: "+").replacing("_", with: "/")
        var lines: [Substring] = []
        var rest = digits[...]
        while !rest.isEmpty {
            lines.append(rest.prefix(64))
            rest = rest.dropFirst(64)
        }
        let written: JSONValue = ["__type": "Bytes", "base64": .string(lines.joined(separator: "\r\n"))]
        #expect(try written.normalized(field: "x") == ["__type": "Bytes", "base64": .string(digits)])
    }

    @Test(
        "Base64 with other characters than line breaks is refused",
        arguments: [
            #""AA!A""#, #""AA A""#, #""AA\tA""#, #""AA\u000bA""#, #""AA\u2028A""#, #""AAAA!\r\n""#, "5", "null",
        ]
    )
    func malformedBytes(text: String) throws {
        let value = try JSONValue(parsing: Array(#"{"__type":"Bytes","base64":\#(text)}"#.utf8), field: "x")
        let error = #expect(throws: ServiceError.self) { try value.normalized(field: "x") }
        #expect(error?.code == .malformedJSON)
    }

    @Test(
        "a pointer or a file without an id is refused",
        arguments: [
            #"{"__type":"File"}"#, #"{"__type":"File","objectId":null,"id":null}"#, #"{"__type":"File","id":5}"#,
            #"{"__type":"Pointer","className":"A","objectId":null,"id":"x"}"#,
        ]
    )
    func malformedPointers(text: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8), field: "x")
        let error = #expect(throws: ServiceError.self) { try value.normalized(field: "x") }
        #expect(error?.code == .malformedPointer)
    }

    @Test("the way between two places is that of a sphere")
    func distance() {
        let paris = GeoPoint(latitude: 48.8566, longitude: 2.3522)
        let tokyo = GeoPoint(latitude: 35.6762, longitude: 139.6503)
        #expect(abs(paris.distance(to: tokyo) * GeoPoint.kilometers - 9712) < 5)
        #expect(paris.distance(to: paris) == 0)
        // Also where the squares of differences underflow.
        let smallest = GeoPoint(latitude: -.leastNonzeroMagnitude, longitude: 1e-101)
        #expect(smallest.distance(to: GeoPoint(latitude: 0, longitude: 0)) == 0)
        #expect(smallest.distance(to: GeoPoint(latitude: 1e-99, longitude: 0)) > 0)
        let pole = GeoPoint(latitude: 90, longitude: 0)
        #expect(abs(pole.distance(to: GeoPoint(latitude: -90, longitude: 77)) - .pi) < 1e-12)
    }

    @Test(
        "class names",
        arguments: [
            ("Task", true), ("_File", true), ("a_1", true), ("1a", false), ("", false), ("_", false), ("_1", false),
            ("a b", false), ("é", false), ("a/b", false), ("x\u{0}", false),
        ]
    )
    func classNames(text: String, isOne: Bool) {
        #expect(((try? ClassName(text)) != nil) == isOne)
    }

    @Test(
        "field names that clients may not use",
        arguments: ["objectId", "OBJECTID", "createdat", "updatedAt", "className", "acl", "__x", "a b", "a-b", ""]
    )
    func reserved(text: String) {
        let error = #expect(throws: ServiceError.self) { try FieldPath.requireFree(text) }
        #expect(error?.code == .invalidKey)
        #expect(error?.message.hasSuffix("The column is: '\(text)'.") == true)
    }

    @Test(
        "paths",
        arguments: [
            ("a", true), ("a.b.0", true), ("_x.照片", true), ("", false), (".a", false), ("a.", false), ("a..b", false),
            ("a b.c", false), ("a.$b", false),
        ]
    )
    func paths(text: String, isOne: Bool) {
        #expect(((try? FieldPath(text)) != nil) == isOne)
    }
}
