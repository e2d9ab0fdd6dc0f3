internal import Domain
internal import FoundationEssentials

/// How commands are written in the frames of a connection: its sub-protocol (protocol/data 8.3).
///
/// One frame is one command. Decoding is total: any bytes are a command or malformed.
package enum RealtimeFormat: String, Sendable, CaseIterable {
    /// protobuf in binary frames.
    case protobuf = "lc.protobuf2.3"
    /// The same, offered by clients that also have messaging.
    case protobufOfMessaging = "lc.protobuf2.1"
    /// protobuf as Base64 in text frames.
    case base64 = "lc.proto2base64.3"
    /// JSON in text frames.
    case json = "lc.json.3"

    /// Whether frames are text.
    package var isText: Bool {
        switch self {
        case .protobuf, .protobufOfMessaging: false
        case .base64, .json: true
        }
    }

    /// Reads the payload of a frame.
    ///
    /// - Throws: ``MalformedCommand``.
    package func decode(_ payload: [UInt8]) throws -> RealtimeCommand {
        switch self {
        case .protobuf, .protobufOfMessaging:
            return try RealtimeCommand(protobuf: payload)
        case .base64:
            guard let bytes = [UInt8](base64: String(decoding: payload, as: UTF8.self)) else {
                throw MalformedCommand()
            }
            return try RealtimeCommand(protobuf: bytes)
        case .json:
            return try RealtimeCommand(json: payload)
        }
    }

    /// Writes the payload of a frame.
    package func encode(_ command: RealtimeCommand) -> [UInt8] {
        switch self {
        case .protobuf, .protobufOfMessaging: command.protobuf
        case .base64: Array(Data(command.protobuf).base64EncodedString().utf8)
        case .json: command.json
        }
    }
}

/// A frame's payload is no command in its sub-protocol.
package struct MalformedCommand: Error {}
