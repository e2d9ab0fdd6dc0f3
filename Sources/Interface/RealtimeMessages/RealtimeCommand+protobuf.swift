internal import SwiftProtobuf

/// The form of `GenericCommand` (protocol/data 8.4).
extension RealtimeCommand {
    init(protobuf bytes: [UInt8]) throws {
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = true
        guard let wire = try? WireGenericCommand(serializedBytes: bytes, options: options) else {
            throw MalformedCommand()
        }
        self.init(
            wire.hasCmd ? Kind(rawValue: wire.cmd.rawValue) : nil,
            appID: wire.hasAppID ? wire.appID : nil,
            service: wire.hasService ? wire.service : nil,
            installationID: wire.hasInstallationID ? wire.installationID : nil,
            number: wire.hasI ? wire.i : nil
        )
    }

    var protobuf: [UInt8] {
        var wire = WireGenericCommand()
        if let cmd = kind.flatMap({ WireCommandType(rawValue: $0.rawValue) }) { wire.cmd = cmd }
        if let appID { wire.appID = appID }
        if let service { wire.service = service }
        if let installationID { wire.installationID = installationID }
        if let number { wire.i = number }
        if !messages.isEmpty {
            // Java pairs ids and messages by their positions.
            wire.dataMessage.ids = messages.map(\.id)
            wire.dataMessage.msg = messages.map { message in
                var wire = WireJsonObjectMessage()
                wire.data = String(decoding: message.json, as: UTF8.self)
                return wire
            }
        }
        if let failure {
            wire.errorMessage.code = failure.code
            wire.errorMessage.reason = failure.reason
        }
        // Fails only for a missing required field, and commands.proto has none.
        return (try? wire.serializedBytes()) ?? []
    }
}
