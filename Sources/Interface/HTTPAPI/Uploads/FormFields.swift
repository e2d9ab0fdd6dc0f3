internal import Domain
internal import NIOCore

/// The fields of a form that are not files, collected until its end, because clients send them before or after the
/// file; they count in the memory of bodies.
struct FormFields: Sendable {
    private let limits: WireLimits
    private let share: BodyMemory.Share
    private let shortSize: Int
    private var fields: [String: ByteBuffer] = [:]
    private var parts = 0

    /// The maximum bytes of most fields: no name, key or token is longer without the master key.
    static let shortSize = 4 << 10
    /// The fields that only `uploads.maxFieldSize` limits.
    private static let jsonFields: Set = ["metaData", "ACL"]

    /// - Parameters:
    ///   - limits: The limits of fields.
    ///   - share: The share of the request, which its owner ends.
    ///   - shortSize: The maximum bytes of a field other than `metaData` and `ACL`, with which a client could fill the
    ///     memory of bodies otherwise.
    init(limits: WireLimits, share: BodyMemory.Share, shortSize: Int = FormFields.shortSize) {
        self.limits = limits
        self.share = share
        self.shortSize = shortSize
    }

    /// Counts a part of the form, a file or a field.
    mutating func countPart() throws {
        parts += 1
        guard parts <= limits.formParts else {
            throw ServiceError(
                .payloadTooLarge,
                "The form has more than \(limits.formParts) parts, the limit (uploads.maxParts)."
            )
        }
    }

    /// Begins a field; duplicate fields are refused.
    mutating func begin(_ name: String) throws {
        guard fields[name] == nil else { throw ServiceError(.badRequest, "The field '\(name)' occurs twice.") }
        fields[name] = ByteBuffer()
    }

    /// Counts strings that are collected beside the fields.
    ///
    /// - Throws: As ``BodyMemory/Share/grow(by:orThrow:)``.
    func count(_ strings: String?...) throws {
        try share.grow(by: strings.reduce(0) { $0 + ($1?.utf8.count ?? 0) })
    }

    /// Adds bytes to a field that was begun.
    mutating func append(_ bytes: ByteBuffer, to name: String) throws {
        try requireSize((fields[name]?.readableBytes ?? 0) + bytes.readableBytes, of: name)
        try share.grow(by: bytes.readableBytes)
        fields[name, default: ByteBuffer()].writeImmutableBuffer(bytes)
    }

    private func requireSize(_ size: Int, of name: String) throws {
        guard size <= limits.fieldSize else {
            throw ServiceError(
                .payloadTooLarge,
                "The field '\(name)' is larger than \(limits.fieldSize) bytes, the limit (uploads.maxFieldSize)."
            )
        }
        guard size <= shortSize || FormFields.jsonFields.contains(name) else {
            throw ServiceError(
                .payloadTooLarge,
                "The field '\(name)' is larger than \(shortSize) bytes, the limit of fields other than metaData and "
                    + "ACL."
            )
        }
    }

    /// A field's text; nil if it is empty or missing.
    func text(_ name: String) throws -> String? {
        guard let bytes = fields[name], bytes.readableBytes > 0 else { return nil }
        guard let text = String(validating: bytes.readableBytesView, as: UTF8.self) else {
            throw ServiceError(.badRequest, "The field '\(name)' is not UTF-8.")
        }
        return text
    }

    /// A field as JSON; `nil` if it is missing or empty.
    func json(_ name: String) throws -> JSONValue? {
        guard let bytes = fields[name], bytes.readableBytes > 0 else { return nil }
        let body = JSONBody(text: bytes, share: share, maxValues: limits.jsonValues)
        return try body.withText { try body.parse($0, field: name).value }
    }

    /// The bytes of fields together.
    func size(of names: [String]) -> Int {
        names.reduce(0) { $0 + (fields[$1]?.readableBytes ?? 0) }
    }

    /// A field that is `true`, `1`, `false` or `0`; false if it is missing.
    func flag(_ name: String) throws -> Bool {
        switch try text(name) {
        case "true", "1": true
        case "false", "0", nil: false
        default: throw ServiceError(.badRequest, "\(name) must be true or false.")
        }
    }

    /// What the fields say of all files of the form, with the members that a JSON body has, except the name.
    var description: [String: JSONValue] {
        get throws {
            var members: [String: JSONValue] = ["keep_file_name": .bool(try flag("keep_file_name"))]
            for name in ["metaData", "ACL"] { members[name] = try json(name) }
            for name in ["mime_type", "prefix"] { members[name] = try text(name).map(JSONValue.string) }
            return members
        }
    }
}
