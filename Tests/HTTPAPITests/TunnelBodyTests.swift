import Domain
import NIOCore
import Testing

@testable import HTTPAPI

@Suite struct TunnelBodyTests {
    private func tunnel(_ text: String) throws -> TunnelBody {
        let share = BodyMemory(limit: 1 << 20).share(of: .master)
        // A reader index that is not 0, as that of a slice of what was received.
        var bytes = ByteBuffer(string: "x\(text)")
        bytes.moveReaderIndex(forwardBy: 1)
        return try TunnelBody(JSONBody(text: bytes, share: share, maxValues: 100))
    }

    @Test(
        "what is left is the real body, wherever the tunnel's own members stand",
        arguments: [
            (#"{"_method":"PUT"}"#, #"{}"#),
            (#"{"_method":"PUT","a":1}"#, #"{"a":1}"#),
            (#"{"a":1,"_method":"PUT"}"#, #"{"a":1}"#),
            (#"{"a":1,"_method":"PUT","b":2}"#, #"{"a":1,"b":2}"#),
            (#"{"_method":"PUT","_ApplicationId":"i","a":1,"b":2}"#, #"{"a":1,"b":2}"#),
            (
                #"{"_method":"PUT","a":1,"_ApplicationId":"i","b":{"_method":1},"_SessionToken":"s"}"#,
                #"{"a":1,"b":{"_method":1}}"#
            ),
            (#" { "a" : [1,2] , "_method" : "PUT" , "_ClientVersion":{"x":[]} } "#, #"{"a":[1,2]}"#),
            (#"{"_m\u0065thod":"PUT","a":1}"#, #"{"a":1}"#),
            (#"{"a":1}"#, #"{"a":1}"#),
            ("{}", "{}"),
        ]
    )
    func rest(text: String, expected: String) throws {
        let rest = try tunnel(text).rest()
        let value = try JSONValue(parsing: Array(rest.readableBytesView), field: "x")
        #expect(value == (try JSONValue(parsing: Array(expected.utf8), field: "x")))
    }

    @Test("own members are strings without escapes, and others are as if they were not there")
    func own() throws {
        let body = try tunnel(
            #"{"_ApplicationId":"\u0061pp","_ApplicationKey":5,"_MasterKey":{"a":"b"},"_method":null}"#
        )
        #expect(try body.text("_ApplicationId") == "app")
        for name in ["_ApplicationKey", "_MasterKey", "_method", "_SessionToken"] {
            #expect(try body.text(name) == nil)
        }
    }

    @Test(
        "a body that is no object, or says a credential twice, is refused",
        arguments: [
            "", "[]", "1", "{", #"{"a":1"#, #"{"a":1}x"#, #"{"_method":"GET","_method":"PUT"}"#,
            #"{"_MasterKey":"a","_M\u0061sterKey":"b"}"#,
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: ServiceError.self) { try tunnel(text) }
        #expect(error?.code == .malformedJSON)
    }

    @Test("a credential that is longer than a header may be is refused")
    func long() throws {
        let body = try tunnel(#"{"_SessionToken":"\#(String(repeating: "x", count: 5000))"}"#)
        #expect(throws: ServiceError.self) { try body.text("_SessionToken") }
    }

    @Test("the members of a GET are parameters: texts as they are, all else as JSON")
    func query() throws {
        let body = try tunnel(
            #"{"where":{"a b":"ü&"},"limit":10,"_method":"GET","keys":"a,b","count":true,"x":1.50,"none":null,"list":[1, 2]}"#
        )
        let parameters = try ObjectParameters(query: try body.query())
        #expect(parameters.text("where") == #"{"a b":"ü&"}"#)
        #expect(try parameters.number("limit") == 10)
        #expect(parameters.text("keys") == "a,b")
        #expect(parameters.flag("count"))
        #expect(parameters.text("x") == "1.5")
        #expect(parameters.text("none") == nil)
        #expect(parameters.text("list") == "[1, 2]")
        #expect(parameters.text("_method") == nil)
    }

    @Test("a parameter that stands twice is refused")
    func twice() throws {
        #expect(throws: ServiceError.self) { try tunnel(#"{"where":{},"where":{"a":1}}"#).query() }
    }
}
