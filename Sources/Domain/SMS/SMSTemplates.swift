/// The texts of SMS: those of lcfile for each purpose, and those of the operator's folder (`sms.templates`).
package struct SMSTemplates: Sendable {
    /// The name of the app in texts.
    package let appName: String
    private let templates: [String: TextTemplate]

    /// The variables that the server fills; of these, a request can set `name`, `sign` and `template`.
    static let systemVariables: Set<String> = ["name", "code", "ttl", "sign", "template"]

    /// The longest text of an SMS in Unicode scalars, about six parts.
    static let maxLength = 400

    /// Parses the templates.
    ///
    /// Variables are written as `{{code}}`, or as `{{{code}}}` in templates that come from LeanCloud.
    ///
    /// - Parameters:
    ///   - files: The texts of the operator by the names of their files: `<template>.txt`.
    ///   - appName: The name of the app.
    ///   - language: The language of lcfile's own texts.
    /// - Throws: ``TemplateFault`` naming the file.
    package init(
        replacing files: [String: String] = [:],
        appName: String,
        language: MailLanguage = .english
    ) throws(TemplateFault) {
        self.appName = appName
        var templates: [String: TextTemplate] = [:]
        for purpose in SMSPurpose.allCases {
            let text = SMSTemplates.text(of: purpose, language)
            templates[SMSTemplates.name(of: purpose)] = try TextTemplate(text, allowed: nil)
        }
        for (file, text) in files {
            let name = file.hasSuffix(".txt") ? String(file.dropLast(4)) : ""
            guard SMSTemplates.isName(name) else {
                throw TemplateFault("\(file) must have a name of letters, digits, '_' and '-', and end with .txt")
            }
            do {
                templates[name] = try SMSTemplates.parse(text, replacing: SMSPurpose(rawValue: name))
            } catch {
                throw TemplateFault("\(file) \(error.message)")
            }
        }
        self.templates = templates
    }

    private static func parse(_ text: String, replacing purpose: SMSPurpose?) throws(TemplateFault) -> TextTemplate {
        var text = text
        while text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty, text.unicodeScalars.count <= maxLength, !text.hasControlCharacters else {
            throw TemplateFault("must be one line of 1 to \(maxLength) characters")
        }
        return try TextTemplate(
            text.replacing("{{{", with: "{{").replacing("}}}", with: "}}"),
            allowed: purpose == nil ? nil : systemVariables.sorted(),
            required: purpose == nil ? [] : ["code"]
        )
    }

    /// Letters, digits, `_` and `-`, as LeanCloud's templates have.
    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_-".utf8.contains($0) }
    }

    /// The name of the template for a purpose.
    package static func name(of purpose: SMSPurpose) -> String { purpose.rawValue }

    /// Whether the text of a template has a code.
    ///
    /// - Throws: ``ServiceError/Code/invalidSMSTemplate`` for an unknown template, or if the request does not have one
    ///   of its variables.
    func hasCode(_ content: SMSContent) throws -> Bool {
        guard let template = templates[content.template] else {
            throw ServiceError(
                .invalidSMSTemplate,
                "The SMS template '\(content.template.prefix(64))' does not exist; the folder of sms.templates has them."
            )
        }
        let known = SMSTemplates.systemVariables.union(content.variables.keys)
        if let missing = template.variables.subtracting(known).min() {
            throw ServiceError(
                .invalidSMSTemplate,
                "The SMS template '\(content.template)' needs the variable '\(missing)'."
            )
        }
        return template.variables.contains("code")
    }

    /// The text of a template.
    ///
    /// - Parameters:
    ///   - content: The name of the template.
    ///   - sign: The signature; empty for none.
    ///   - values: The values of its variables.
    /// - Returns: The text with the signature at its beginning; `nil` if the template no longer exists.
    func text(_ content: SMSContent, sign: String, _ values: [String: String]) -> String? {
        guard let filled = templates[content.template]?.filled(values) else { return nil }
        let text = String(filled.unicodeScalars.prefix(SMSTemplates.maxLength))
        return sign.isEmpty ? text : "【\(sign)】\(text)"
    }

    private static func text(of purpose: SMSPurpose, _ language: MailLanguage) -> String {
        switch (language, purpose) {
        case (.english, .generic): "{{code}} is your verification code for {{name}}. It is valid for {{ttl}} minutes."
        case (.english, .verifyPhone):
            "{{code}} is the code that confirms your number for {{name}}. It is valid for {{ttl}} minutes."
        case (.english, .logIn): "{{code}} is your log-in code for {{name}}. It is valid for {{ttl}} minutes."
        case (.english, .resetPassword):
            "{{code}} is the code that resets your password for {{name}}. It is valid for {{ttl}} minutes."
        case (.english, .changePhone):
            "{{code}} is the code that makes this your number for {{name}}. It is valid for {{ttl}} minutes."
        case (.chinese, .generic): "您的{{name}}验证码是 {{code}}，{{ttl}} 分钟内有效。"
        case (.chinese, .verifyPhone): "您正在验证{{name}}的手机号，验证码是 {{code}}，{{ttl}} 分钟内有效。"
        case (.chinese, .logIn): "您正在登录{{name}}，验证码是 {{code}}，{{ttl}} 分钟内有效。"
        case (.chinese, .resetPassword): "您正在重设{{name}}的密码，验证码是 {{code}}，{{ttl}} 分钟内有效。"
        case (.chinese, .changePhone): "您正在更换{{name}}的手机号，验证码是 {{code}}，{{ttl}} 分钟内有效。"
        }
    }
}
