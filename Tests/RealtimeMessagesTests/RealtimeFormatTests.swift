import RealtimeMessages
import Testing

/// Each command in the bytes of each sub-protocol.
@Suite struct RealtimeFormatTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let command: RealtimeCommand
        let json: String
        /// In hexadecimal digits.
        let protobuf: String

        var testDescription: String { json }
    }

    /// What clients and servers send to each other (protocol/data 8.5); the bytes are those of protoc's own encoder.
    static let dialogue = [
        Case(
            command: RealtimeCommand(.login, appID: "myapp", service: 1, installationID: "d1", number: 1),
            json: #"{"cmd":"login","appId":"myapp","service":1,"installationId":"d1","i":1}"#,
            protobuf: "08081a056d796170702801320264314001"
        ),
        Case(
            command: RealtimeCommand(.loggedin, service: 1, installationID: "d1", number: 1),
            json: #"{"cmd":"loggedin","service":1,"installationId":"d1","i":1}"#,
            protobuf: "080f2801320264314001"
        ),
        Case(
            command: RealtimeCommand(.echo, number: 300),
            json: #"{"cmd":"echo","i":300}"#,
            protobuf: "080e28ac02"
        ),
        Case(
            command: RealtimeCommand(.loggedout, number: 3),
            json: #"{"cmd":"loggedout","i":3}"#,
            protobuf: "08112803"
        ),
        Case(command: RealtimeCommand(.goaway), json: #"{"cmd":"goaway"}"#, protobuf: "0815"),
        Case(
            command: RealtimeCommand(.session, number: -1),
            json: #"{"cmd":"session","i":-1}"#,
            protobuf: "080028ffffffffffffffffff01"
        ),
    ]

    /// What only the server sends.
    static let pushes = [
        Case(
            command: RealtimeCommand(
                .data,
                service: 1,
                installationID: "d1",
                messages: [
                    .init(id: "m1", json: Array(#"{"op": "create"}"#.utf8)), .init(id: "m2", json: Array("{}".utf8)),
                ]
            ),
            json: #"{"cmd":"data","service":1,"installationId":"d1","ids":["m1","m2"],"msg":[{"op": "create"},{}]}"#,
            protobuf: "0809320264314001" + "aa06220a026d310a026d32" + "12120a107b226f70223a2022637265617465227d"
                + "12040a027b7d"
        ),
        Case(
            command: RealtimeCommand(.error, number: 1, failure: .init(4103, "INVALID_LOGIN")),
            json: #"{"cmd":"error","i":1,"error":{"code":4103,"detail":"INVALID_LOGIN"}}"#,
            protobuf: "08072801ba0612088720120d494e56414c49445f4c4f47494e"
        ),
    ]

    @Test("a command has the same bytes in the two sub-protocols of protobuf", arguments: dialogue + pushes)
    func protobuf(sample: Case) {
        #expect(RealtimeFormat.protobuf.encode(sample.command).hexadecimal == sample.protobuf)
        #expect(RealtimeFormat.protobufOfMessaging.encode(sample.command).hexadecimal == sample.protobuf)
    }

    @Test("a command in JSON is flat, and contains events as they are", arguments: dialogue + pushes)
    func json(sample: Case) {
        #expect(String(decoding: RealtimeFormat.json.encode(sample.command), as: UTF8.self) == sample.json)
    }

    @Test("what one side encodes the other side decodes", arguments: dialogue, RealtimeFormat.allCases)
    func decoding(sample: Case, format: RealtimeFormat) throws {
        #expect(try format.decode(format.encode(sample.command)) == sample.command)
    }

    @Test("the keep-alive of JSON is an empty object")
    func keepAlive() throws {
        #expect(try RealtimeFormat.json.decode(Array(" { } ".utf8)) == .keepAlive)
        #expect(RealtimeFormat.json.encode(.keepAlive) == Array("{}".utf8))
        #expect(try RealtimeFormat.json.decode(Array(#"{"x":1}"#.utf8)) == RealtimeCommand())
        #expect(try RealtimeFormat.protobuf.decode([]) == RealtimeCommand())
    }

    @Test("protobuf in text is padded Base64")
    func base64() throws {
        let echo = RealtimeCommand(.echo, number: 5)
        #expect(String(decoding: RealtimeFormat.base64.encode(echo), as: UTF8.self) == "CA4oBQ==")
        #expect(try RealtimeFormat.base64.decode(Array("CA4oBQ==".utf8)) == echo)
    }

    @Test("texts are escaped in JSON")
    func escaping() {
        let command = RealtimeCommand(.echo, installationID: "a\"\n\u{1}é")
        let text = String(decoding: RealtimeFormat.json.encode(command), as: UTF8.self)
        #expect(text == #"{"cmd":"echo","installationId":"a\"\n\u0001é"}"#)
    }

    @Test("unknown members and fields are ignored")
    func unknown() throws {
        let json = #"{"cmd":"ack","appId":null,"clientTs":1.5,"ids":["m1"],"ackMessage":{"ids":[]},"op":"x"}"#
        #expect(try RealtimeFormat.json.decode(Array(json.utf8)) == RealtimeCommand(.ack))
        // op 1, clientTs 300, ackMessage with ids m1.
        let bytes: [UInt8] = [0x08, 0x03, 0x10, 0x01, 0x50, 0xAC, 0x02, 0xCA, 0x06, 0x04, 0x52, 0x02, 0x6D, 0x31]
        #expect(try RealtimeFormat.protobuf.decode(bytes) == RealtimeCommand(.ack))
    }

    @Test("an unknown command is a command without a kind")
    func unknownKind() throws {
        #expect(try RealtimeFormat.json.decode(Array(#"{"cmd":"dance","i":1}"#.utf8)) == RealtimeCommand(number: 1))
        #expect(try RealtimeFormat.protobuf.decode([0x08, 0x7F, 0x28, 0x01]) == RealtimeCommand(number: 1))
    }

    @Test(
        "a payload that is no command is malformed",
        arguments: [
            (RealtimeFormat.json, ""), (.json, "[]"), (.json, "{"), (.json, "{} {}"), (.json, #"{"cmd":1}"#),
            (.json, #"{"i":"1"}"#), (.json, #"{"i":1.5}"#), (.json, #"{"i":2147483648}"#), (.json, #"{"appId":{}}"#),
            (.base64, "{}"), (.base64, "CA4oB"), (.base64, "////"), (.protobuf, "\u{8}"),
            (.protobuf, "{}"), (.protobufOfMessaging, "\u{1A}\u{7F}a"),
        ]
    )
    func malformed(format: RealtimeFormat, payload: String) {
        #expect(throws: MalformedCommand.self) { try format.decode(Array(payload.utf8)) }
    }

    @Test("text that is not UTF-8 is malformed", arguments: RealtimeFormat.allCases)
    func encoding(format: RealtimeFormat) {
        // In protobuf an appId of these bytes.
        let bytes: [UInt8] = format.isText ? Array(#"{"appId":""#.utf8) + [0xFF, 0x22, 0x7D] : [0x1A, 0x01, 0xFF]
        #expect(throws: MalformedCommand.self) { try format.decode(bytes) }
    }

    @Test("deep and long payloads are malformed, and do not exhaust the stack")
    func deep() {
        let deep = #"{"a":"# + String(repeating: "[", count: 60_000)
        #expect(throws: MalformedCommand.self) { try RealtimeFormat.json.decode(Array(deep.utf8)) }
        let long = #"{"a":["# + String(repeating: "0,", count: 30_000) + "0]}"
        #expect(throws: MalformedCommand.self) { try RealtimeFormat.json.decode(Array(long.utf8)) }
        // Groups in groups.
        #expect(throws: MalformedCommand.self) {
            try RealtimeFormat.protobuf.decode([UInt8](repeating: 0x0B, count: 60_000))
        }
    }

    @Test("any bytes are a command or malformed", arguments: RealtimeFormat.allCases)
    func noise(format: RealtimeFormat) throws {
        var generator = Noise(state: 42)
        let samples = RealtimeFormatTests.dialogue.map { format.encode($0.command) }
        for _ in 0..<4000 {
            var bytes = samples.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0...bytes.count, using: &generator)
                if Bool.random(using: &generator), index < bytes.count {
                    bytes[index] = UInt8.random(in: 0...255, using: &generator)
                } else if Bool.random(using: &generator) {
                    bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
                } else {
                    bytes = Array(bytes.prefix(index))
                }
            }
            // A command that was read can be written, and read again.
            guard let command = try? format.decode(bytes) else { continue }
            guard command != RealtimeCommand() else { continue }
            let again = try format.decode(format.encode(command))
            #expect(again == command)
        }
    }

    @Test("names in JSON and numbers in protobuf are those of the protocol")
    func kinds() {
        #expect(RealtimeCommand.Kind.allCases.map(\.rawValue) == Array(0...21))
        let names = RealtimeCommand.Kind.allCases.map(\.name)
        #expect(names[8] == "login" && names[15] == "loggedin" && names[21] == "goaway")
        for kind in RealtimeCommand.Kind.allCases { #expect(RealtimeCommand.Kind(name: kind.name) == kind) }
    }
}

/// Repeatable random numbers (SplitMix64).
private struct Noise: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension [UInt8] {
    fileprivate var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
