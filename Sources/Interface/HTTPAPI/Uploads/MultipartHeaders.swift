internal import Domain
internal import HTTPTypes

/// The boundary of a `multipart/form-data` body (RFC 2046 section 5.1.1).
struct MultipartBoundary: Sendable {
    let text: String

    /// Parses a Content-Type; `nil` for other types, and unless the boundary has 1 to 70 characters.
    init?(contentType: String?) {
        guard let contentType, MediaType(contentType)?.description == "multipart/form-data",
            let text = HeaderParameters(contentType)["boundary"], (1...70).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f })
        else { return nil }
        self.text = text
    }
}

/// The headers of a part (RFC 7578).
struct MultipartHeaders: Sendable, Equatable {
    let name: String
    let fileName: String?
    let contentType: String?
    private let fields: [String: String]

    /// Parses the head of a part.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if the part has no name, or its head is not UTF-8.
    init(_ head: some Collection<UInt8>) throws {
        guard let text = String(validating: head, as: UTF8.self) else {
            throw ServiceError(.badRequest, "Broken multipart body: a part's head is not UTF-8.")
        }
        var fields: [String: String] = [:]
        for line in MultipartHeaders.lines(of: text) {
            guard let colon = line.firstIndex(of: ":") else {
                throw ServiceError(.badRequest, "Broken multipart body: a line in a part's head has no colon.")
            }
            fields[line[..<colon].lowercased()] = String(line[line.index(after: colon)...])
        }
        let disposition = HeaderParameters(fields["content-disposition"] ?? "")
        guard let name = disposition["name"] else {
            throw ServiceError(.badRequest, "Broken multipart body: a part has no name.")
        }
        self.name = name
        self.fields = fields
        fileName = disposition["filename*"].flatMap(MultipartHeaders.extendedValue) ?? disposition["filename"]
        contentType = fields["content-type"]
    }

    /// Checks that the part has the bytes of one file or field without a coding, because the server stores them as they
    /// arrive; call it for parts that are not ignored.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` otherwise.
    func requirePlain() throws {
        let plain: Set = ["binary", "8bit", "7bit"]
        try requireNoCoding("Content-Transfer-Encoding") { !plain.contains($0) }
        try requireNoCoding("Content-Encoding", HTTPFields.compressions.contains)
        // The framing of several files in one part, as of `curl -F 'file=@a,b'`, would be stored with their bytes.
        guard fileName != nil || contentType.flatMap({ MediaType($0) })?.description != "multipart/mixed" else {
            throw ServiceError(
                .badRequest,
                "The part '\(name)' is multipart/mixed, which is not supported (RFC 7578 section 4.3): send each file "
                    + "in a part of its own."
            )
        }
    }

    private func requireNoCoding(_ header: String, _ isCoding: (String) -> Bool) throws {
        let codings = (fields[header.lowercased()] ?? "").split { $0 == "," || $0 == " " || $0 == "\t" }
        guard let coding = codings.first(where: { isCoding($0.lowercased()) }) else { return }
        throw ServiceError(
            .badRequest,
            "\(header) \(coding) of the part '\(name)' is not supported: send its bytes without a coding."
        )
    }

    /// The lines of a head; one that begins with a blank continues the line before it (RFC 822 section 3.1.1).
    private static func lines(of head: String) -> [String] {
        var lines: [String] = []
        for line in head.split(separator: "\r\n") {
            let first = line.unicodeScalars.first
            if first == " " || first == "\t", !lines.isEmpty {
                lines[lines.count - 1].append(contentsOf: line)
            } else {
                lines.append(String(line))
            }
        }
        return lines
    }

    /// Decodes `UTF-8''photo%20one.png` (RFC 8187); `nil` for other character sets.
    private static func extendedValue(_ text: String) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
        return parts[2].percentDecoded
    }
}

/// The `; name=value` parameters of a header.
///
/// Parsed by scalars: a quote before a combining mark is another character for Swift, but a quote in a header.
struct HeaderParameters {
    private typealias Scalars = Substring.UnicodeScalarView

    private var values: [String: String] = [:]

    init(_ header: String) {
        var rest = header.unicodeScalars.drop { $0 != ";" }
        while rest.first == ";" {
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(name.count)
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst()
            let value = HeaderParameters.takeValue(&rest)
            let key = String(name).lowercased()
            values[key] = values[key] ?? value
            rest = rest.drop { $0 != ";" }
        }
    }

    subscript(name: String) -> String? { values[name] }

    /// Reads a token, or a quoted string with the escapes `\"`, `\\` and `%22`, which browsers write for a quote.
    private static func takeValue(_ rest: inout Scalars) -> String {
        guard rest.first == "\"" else {
            let token = rest.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
            rest = rest.dropFirst(token.count)
            return String(token)
        }
        rest = rest.dropFirst()
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            if scalar == "\\", let escaped = rest.first, escaped == "\"" || escaped == "\\" {
                value.append(escaped)
                rest = rest.dropFirst()
            } else {
                value.append(scalar)
            }
        }
        return String(value).replacing("%22", with: "\"")
    }
}
