internal import Domain
internal import HTTPAPI
internal import Logging

/// The parts of one line of the log.
struct LogLine: Sendable {
    let time: Timestamp
    let level: Logger.Level
    /// The name of the logger.
    let logger: String
    let message: String
    /// The fields in the order in which they are written.
    let fields: [LogField]
}

/// A named value.
struct LogField: Sendable {
    let name: String
    let value: LogValue
}

/// A value; numbers are the digits that are written.
enum LogValue: Sendable {
    case text(String)
    case number(String)
    case flag(Bool)
    case list([LogValue])
    case map([LogField])

    /// The value of swift-log's metadata.
    init(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): self = .text(text)
        case .stringConvertible(let value) where value is any BinaryInteger: self = .number(value.description)
        case .stringConvertible(let value): self = .text(value.description)
        case .array(let elements): self = .list(elements.map(LogValue.init))
        case .dictionary(let members): self = .map(LogField.list(members))
        }
    }
}

extension LogField {
    /// The fields of metadata, sorted by their names.
    static func list(_ metadata: Logger.Metadata) -> [LogField] {
        metadata.map { LogField(name: name(of: $0), value: LogValue($1)) }.sorted { $0.name < $1.name }
    }

    /// The name of a field: the request's id has the same in all lines, and no field has a name of the line itself.
    private static func name(of key: String) -> String {
        switch key {
        case "hb.request.id": "id"
        case "time", "level", "logger", "message": "\(key)_"
        default: key
        }
    }
}

extension LogLine {
    /// The line of a request.
    init(_ request: RequestRecord) {
        time = request.time
        level = .info
        logger = "lcfile"
        message = "Request"
        var fields = [
            LogField(name: "id", value: .text(request.id.description)),
            LogField(name: "client", value: .text(request.client.description)),
            LogField(name: "method", value: .text(request.method)),
            LogField(name: "path", value: .text(request.path)),
            LogField(name: "status", value: .number("\(request.status)")),
        ]
        if let app = request.app { fields.append(LogField(name: "app", value: .text(app.description))) }
        if let route = request.route { fields.append(LogField(name: "route", value: .text(route))) }
        if let bytes = request.bytes { fields.append(LogField(name: "bytes", value: .number("\(bytes)"))) }
        fields.append(LogField(name: "ms", value: .number(LogLine.milliseconds(request.duration))))
        if !request.isComplete { fields.append(LogField(name: "complete", value: .flag(false))) }
        self.fields = fields
    }

    /// Milliseconds with three decimal places.
    private static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = max(0, seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
        let fraction = "\(microseconds % 1000)"
        return "\(microseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
    }
}
