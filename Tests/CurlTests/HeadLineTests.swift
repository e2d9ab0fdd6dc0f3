import Curl
import Testing

@Suite struct HeadLineTests {
    @Test(
        "a line of a head is a status line or a field, with spaces and tabs before its value removed",
        arguments: [
            ("HTTP/1.1 200 OK", .status(200)), ("HTTP/2 404 ", .status(404)), ("HTTP/1.1 100 Continue", .status(100)),
            ("HTTP/1.1 abc", .status(0)), ("HTTP/1.1", .status(0)),
            ("Content-Type: text/plain", .field(name: "content-type", value: "text/plain")),
            (#"ETag:"a""#, .field(name: "etag", value: #""a""#)),
            ("Server:\tnginx", .field(name: "server", value: "nginx")),
            ("Server: \t nginx a", .field(name: "server", value: "nginx a")),
            ("Location: http://a:80/", .field(name: "location", value: "http://a:80/")),
            ("X-Empty:", .field(name: "x-empty", value: "")), ("", nil), ("no field", nil),
        ] as [(String, HeadLine?)]
    )
    func parsed(line: String, meaning: HeadLine?) {
        #expect(HeadLine(line) == meaning)
    }
}
