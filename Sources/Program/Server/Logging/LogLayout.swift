internal import Domain

/// How the parts of a line become its bytes.
///
/// No value can end its line or begin another field: in JSON values are escaped, in text they are also quoted unless
/// they are plain ASCII.
enum LogLayout: Sendable {
    case text
    case json

    /// Appends a line with its end.
    func write(_ line: LogLine, to bytes: inout [UInt8]) {
        switch self {
        case .text: writeText(line, to: &bytes)
        case .json: writeJSON(line, to: &bytes)
        }
    }

    private func writeText(_ line: LogLine, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "\(line.time.iso8601) \(line.level) \(line.logger): ".utf8)
        LogEscaping.write(line.message, to: &bytes, isQuoted: false)
        for field in line.fields { writeText(field.value, named: field.name, to: &bytes) }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Writes ` name=value`; the members of a map have the names `name.member`.
    private func writeText(_ value: LogValue, named name: String, to bytes: inout [UInt8]) {
        if case .map(let members) = value {
            for member in members { writeText(member.value, named: "\(name).\(member.name)", to: &bytes) }
            return
        }
        bytes.append(UInt8(ascii: " "))
        LogEscaping.writeBare(name, to: &bytes)
        bytes.append(UInt8(ascii: "="))
        switch value {
        case .text(let text): LogEscaping.writeBare(text, to: &bytes)
        case .number(let digits): bytes.append(contentsOf: digits.utf8)
        case .flag(let flag): bytes.append(contentsOf: "\(flag)".utf8)
        case .list, .map:
            var json: [UInt8] = []
            writeJSON(value, to: &json)
            LogEscaping.writeBare(String(decoding: json, as: UTF8.self), to: &bytes)
        }
    }

    private func writeJSON(_ line: LogLine, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "{\"time\":\"\(line.time.iso8601)\",\"level\":\"\(line.level)\",\"logger\":".utf8)
        LogEscaping.write(line.logger, to: &bytes, isQuoted: true)
        bytes.append(contentsOf: ",\"message\":".utf8)
        LogEscaping.write(line.message, to: &bytes, isQuoted: true)
        for field in line.fields {
            bytes.append(UInt8(ascii: ","))
            writeJSON(field, to: &bytes)
        }
        bytes.append(contentsOf: "}\n".utf8)
    }

    private func writeJSON(_ field: LogField, to bytes: inout [UInt8]) {
        LogEscaping.write(field.name, to: &bytes, isQuoted: true)
        bytes.append(UInt8(ascii: ":"))
        writeJSON(field.value, to: &bytes)
    }

    private func writeJSON(_ value: LogValue, to bytes: inout [UInt8]) {
        func join<Elements: Collection>(_ elements: Elements, _ write: (Elements.Element) -> Void) {
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(element)
            }
        }
        switch value {
        case .text(let text): LogEscaping.write(text, to: &bytes, isQuoted: true)
        case .number(let digits): bytes.append(contentsOf: digits.utf8)
        case .flag(let flag): bytes.append(contentsOf: "\(flag)".utf8)
        case .list(let elements):
            bytes.append(UInt8(ascii: "["))
            join(elements) { writeJSON($0, to: &bytes) }
            bytes.append(UInt8(ascii: "]"))
        case .map(let members):
            bytes.append(UInt8(ascii: "{"))
            join(members) { writeJSON($0, to: &bytes) }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}
