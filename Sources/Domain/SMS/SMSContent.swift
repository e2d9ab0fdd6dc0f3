/// What a request says of the text of an SMS (protocol/data 6.4).
struct SMSContent: Sendable, Hashable {
    /// The name of the template.
    var template: String
    /// The name of the signature; empty for that of the server.
    var sign = ""
    /// The values of the template's variables.
    var variables: [String: String] = [:]
    /// Whether the code is read out in a call.
    var isVoice = false

    /// The text of lcfile for a purpose.
    init(_ purpose: SMSPurpose) {
        template = SMSTemplates.name(of: purpose)
    }

    /// Reads the body of `requestSmsCode`.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for values that cannot be in an SMS.
    init(_ body: [String: JSONValue]) throws {
        self.init(.generic)
        if let name = try SMSContent.text("template", in: body), !name.isEmpty { template = name }
        sign = try SMSContent.text("sign", in: body) ?? ""
        isVoice = body["smsType"]?.stringValue == "voice"
        let names = body.keys.filter { !SMSContent.reserved.contains($0) }.sorted()
        guard names.count <= SMSContent.maxVariables else {
            throw ServiceError(
                .badRequest,
                "The body has more than \(SMSContent.maxVariables) variables of a template, the limit."
            )
        }
        for name in names { variables[name] = try SMSContent.text(name, in: body) }
        // It is in lcfile's own texts, which any client has sent to any number.
        guard variables["name"].map(SMSContent.isName) ?? true else {
            throw ServiceError(
                .badRequest,
                "'name' must be that of an app: at most \(SMSContent.maxName) characters, without '.', '/', ':' and '@'."
            )
        }
    }

    /// Reads the fields of a row.
    init(stored fields: [String: JSONValue]) {
        template = fields["template"]?.stringValue ?? ""
        sign = fields["sign"]?.stringValue ?? ""
        isVoice = fields["voice"] == .bool(true)
        variables = (fields["variables"]?.objectValue ?? [:]).compactMapValues(\.stringValue)
    }

    /// The fields of a row.
    var fields: [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "template": .string(template), "variables": .object(variables.mapValues(JSONValue.string)),
        ]
        if !sign.isEmpty { fields["sign"] = .string(sign) }
        if isVoice { fields["voice"] = .bool(true) }
        return fields
    }

    /// The maximum number of variables.
    private static let maxVariables = 20
    /// The maximum number of characters of a value.
    private static let maxValue = 100
    /// The maximum number of characters of the app's name.
    private static let maxName = 20

    /// Whether a text can be the name of an app, and contains no link.
    private static func isName(_ text: String) -> Bool {
        text.count <= maxName && !text.contains { "./:@。．／：＠".contains($0) }
    }

    /// Members of the body that are no variables.
    private static let reserved: Set<String> = [
        "mobilePhoneNumber", "template", "sign", "smsType", "ttl", "validate_token", "code", "IDD",
    ]

    private static func text(_ name: String, in body: [String: JSONValue]) throws -> String? {
        let text: String
        switch body[name] {
        case nil, .null: return nil
        case .string(let value): text = value
        case .integer(let value): text = String(value)
        case .bool(let value): text = String(value)
        // Such as a price.
        case .number(let value): text = String(decoding: JSONValue.number(value).encoded(), as: UTF8.self)
        case .array, .object:
            throw ServiceError(.badRequest, "'\(name.prefix(64))' must be a String or a number.")
        }
        guard text.count <= maxValue, !text.hasControlCharacters, !text.contains(where: { "【】".contains($0) }) else {
            throw ServiceError(
                .badRequest,
                "'\(name.prefix(64))' must have at most \(maxValue) characters, without control characters, 【 and 】."
            )
        }
        // A name can be in the templates of webhooks.
        guard name.utf8.count <= 64, name.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }) else {
            throw ServiceError(.badRequest, "'\(name.prefix(64))' must have letters, digits and '_' only.")
        }
        return text
    }
}
