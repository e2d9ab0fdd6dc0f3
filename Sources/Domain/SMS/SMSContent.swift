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
    /// - Parameters:
    ///   - body: The body.
    ///   - ownSign: The signature of the server, to which the limits of a client's do not apply.
    /// - Throws: ``ServiceError/Code/badRequest`` for values that cannot be in an SMS,
    ///   ``ServiceError/Code/invalidSMSTemplate`` for the text of another purpose.
    init(_ body: [String: JSONValue], ownSign: String = "") throws {
        self.init(.generic)
        if let name = try SMSContent.text("template", in: body), !name.isEmpty { template = name }
        // The code logs in at usersByMobilePhone; a reader of another text would give it away as one that does less.
        guard SMSPurpose(rawValue: template).map({ $0 == .generic }) ?? true else {
            throw ServiceError(
                .invalidSMSTemplate,
                "The SMS template '\(template)' is for codes of another purpose, which have requests of their own."
            )
        }
        sign = try SMSContent.text("sign", in: body) ?? ""
        if sign == ownSign { sign = "" }
        isVoice = body["smsType"]?.stringValue == "voice"
        let names = body.keys.filter { !SMSContent.reserved.contains($0) }.sorted()
        guard names.count <= SMSContent.maxVariables else {
            throw ServiceError(
                .badRequest,
                "The body has more than \(SMSContent.maxVariables) variables of a template, the limit."
            )
        }
        for name in names { variables[name] = try SMSContent.text(name, in: body) }
        // Both are in lcfile's own texts, which any client has sent to any number.
        guard SMSContent.isName(variables["name"] ?? ""), SMSContent.isName(sign) else {
            throw ServiceError(
                .badRequest,
                "'name' and 'sign' must have at most \(SMSContent.maxName) characters, without '.', '/', ':' and '@'."
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
    /// The maximum number of Unicode scalars of a value; a `Character` has as many as the client wants.
    private static let maxValue = 100
    /// The maximum number of Unicode scalars of the app's name, and of the signature.
    private static let maxName = 20

    /// What makes a link of a text: the four dots of domain names (RFC 3490 section 3.1), and parts of a URL.
    private static let linkMarks: Set<Unicode.Scalar> = [".", "。", "．", "｡", "/", "／", ":", "：", "@", "＠"]
    /// The brackets of a signature.
    private static let signMarks: Set<Unicode.Scalar> = ["【", "】"]

    /// Whether a text can be the name of an app or a signature, and contains no link.
    private static func isName(_ text: String) -> Bool {
        isShort(text, maxName, without: linkMarks)
    }

    /// Whether a text has few Unicode scalars and none of some.
    ///
    /// A mark with an invisible scalar behind it, such as U+FE0F, is another `Character`, but looks the same.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - limit: The maximum number of its Unicode scalars.
    ///   - marks: The Unicode scalars that it cannot have.
    /// - Returns: Whether it obeys both.
    private static func isShort(_ text: String, _ limit: Int, without marks: Set<Unicode.Scalar>) -> Bool {
        text.unicodeScalars.count <= limit && !text.unicodeScalars.contains(where: marks.contains)
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
        guard isShort(text, maxValue, without: signMarks), !text.hasControlCharacters else {
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
