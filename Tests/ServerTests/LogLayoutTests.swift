import Domain
import Foundation
import Logging
import NIOCore
import Testing

@testable import HTTPAPI
@testable import Server

/// How lines of the log are written, with plain and with hostile values.
@Suite struct LogLayoutTests {
    private func line(_ message: String = "Message", _ fields: [LogField] = []) -> LogLine {
        LogLine(
            time: Timestamp(milliseconds: 1_700_000_000_123),
            level: .error,
            logger: "lcfile",
            message: message,
            fields: fields
        )
    }

    private func written(_ line: LogLine, as layout: LogLayout) -> String {
        var bytes: [UInt8] = []
        layout.write(line, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func object(_ line: LogLine) throws -> [String: Any] {
        let text = written(line, as: .json)
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    /// Values with which a client could try to forge a line or a field.
    static let hostile = [
        "a\nb", "a\r\n2026-01-01T00:00:00.000Z error lcfile: forged", "a\u{1b}[31mred\u{1b}[0m", "a\u{7f}b\u{85}c",
        "a\u{2028}b\u{2029}c", "\u{202e}gpj.exe", "\u{2066}x\u{2069}", "a\0b", "a\"b\\c", "a=b c", "", "\"", "\\",
        "{\"level\":\"error\"}", "\u{feff}x", "茶 \u{1f600}", "\u{fffd}\t",
    ]

    @Test("a text line has time, level, logger, message and fields")
    func text() {
        let fields = [
            LogField(name: "a", value: .text("b")), LogField(name: "n", value: .number("1.5")),
            LogField(name: "f", value: .flag(false)), LogField(name: "l", value: .list([.text("x"), .number("2")])),
            LogField(name: "m", value: .map([LogField(name: "k.l", value: .text("v w"))])),
        ]
        #expect(
            written(line("It failed", fields), as: .text)
                == "2023-11-14T22:13:20.123Z error lcfile: It failed a=b n=1.5 f=false l=\"[\\\"x\\\",2]\" m.k.l=\"v w\"\n"
        )
    }

    @Test("a JSON line is one object with the same parts")
    func json() {
        let fields = [
            LogField(name: "n", value: .number("1.5")), LogField(name: "l", value: .list([.text("x"), .number("2")])),
            LogField(name: "m", value: .map([LogField(name: "k", value: .flag(true))])),
        ]
        #expect(
            written(line("It failed", fields), as: .json)
                == "{\"time\":\"2023-11-14T22:13:20.123Z\",\"level\":\"error\",\"logger\":\"lcfile\","
                + "\"message\":\"It failed\",\"n\":1.5,\"l\":[\"x\",2],\"m\":{\"k\":true}}\n"
        )
    }

    @Test("no value makes a second line or a character that controls a terminal", arguments: hostile)
    func controls(value: String) {
        for layout in [LogLayout.text, .json] {
            let fields = [
                LogField(name: value, value: .text(value)), LogField(name: "l", value: .list([.text(value)])),
            ]
            let text = written(line(value, fields), as: layout)
            #expect(text.last == "\n")
            #expect(text.dropLast().unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            #expect(!text.unicodeScalars.contains { [0x2028, 0x2029, 0x202e, 0x2066, 0xfeff].contains($0.value) })
        }
    }

    @Test("JSON gives every value back", arguments: hostile)
    func roundTrip(value: String) throws {
        let object = try object(line(value, [LogField(name: "field", value: .text(value))]))
        #expect(object["message"] as? String == value)
        #expect(object["field"] as? String == value)
        #expect(object.count == 5)
    }

    @Test("in text a value that another field could stand in is quoted", arguments: hostile)
    func quoted(value: String) {
        let text = written(line("M", [LogField(name: "x", value: .text(value))]), as: .text)
        #expect(text.contains(" lcfile: M x=\""))
        #expect(text.hasSuffix("\"\n"))
    }

    @Test("the format auto is text on a terminal only")
    func auto() {
        var ends: [CInt] = [0, 0]
        pipe(&ends)
        defer { for end in ends { close(end) } }
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        defer { close(terminal) }
        #expect(LogFormat.auto.layout(on: ends[1]) == .json)
        #expect(LogFormat.auto.layout(on: terminal) == .text)
        #expect(LogFormat.text.layout(on: ends[1]) == .text)
        #expect(LogFormat.json.layout(on: terminal) == .json)
    }

    @Test("metadata keeps its structure; the request's id is 'id', and no field replaces a part of the line")
    func metadata() throws {
        let metadata: Logger.Metadata = [
            "hb.request.id": "7", "level": "forged", "count": .stringConvertible(3), "list": ["a", "b"],
            "map": ["k": "v"],
        ]
        let object = try object(line("M", LogField.list(metadata)))
        #expect(object["id"] as? String == "7")
        #expect(object["level"] as? String == "error")
        #expect(object["level_"] as? String == "forged")
        #expect(object["count"] as? Int == 3)
        #expect(object["list"] as? [String] == ["a", "b"])
        #expect(object["map"] as? [String: String] == ["k": "v"])
    }

    private func record(isComplete: Bool = true, bytes: Int64? = 12) throws -> RequestRecord {
        RequestRecord(
            time: Timestamp(milliseconds: 1_700_000_000_123),
            id: "7",
            app: AppID("app"),
            client: .peer(try SocketAddress(ipAddress: "::ffff:192.0.2.1", port: 1)),
            method: "GET",
            path: "/a b",
            route: "/**",
            status: 200,
            bytes: bytes,
            duration: .microseconds(12_034),
            isComplete: isComplete
        )
    }

    @Test("a request has its values, numbers as numbers")
    func request() throws {
        #expect(
            written(LogLine(try record()), as: .text)
                == "2023-11-14T22:13:20.123Z info lcfile: Request id=7 client=192.0.2.1 method=GET path=\"/a b\" "
                + "status=200 app=app route=/** bytes=12 ms=12.034\n"
        )
        let object = try object(LogLine(try record()))
        #expect(object["status"] as? Int == 200)
        #expect(object["bytes"] as? Int == 12)
        #expect(object["ms"] as? Double == 12.034)
    }

    @Test("a response that was not sent whole is marked")
    func incomplete() throws {
        let text = written(LogLine(try record(isComplete: false, bytes: nil)), as: .text)
        #expect(text.hasSuffix("route=/** ms=12.034 complete=false\n"))
    }
}
