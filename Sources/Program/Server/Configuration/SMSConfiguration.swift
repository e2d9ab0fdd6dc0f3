package import Domain
internal import Storage

/// The settings of SMS.
package struct SMSConfiguration: Sendable {
    /// The ways of an SMS.
    package enum Provider: String, Sendable, CaseIterable {
        /// No SMS are sent; numbers with fixed codes still work.
        case off
        /// SMS are written to the log: for development.
        case log
        /// SMS are posted to the operator's gateway.
        case webhook
    }

    /// The way of SMS.
    package var provider = Provider.off
    /// Numbers with fixed codes, as the operator wrote them.
    package var fixedNumbers = Secret("")
    /// The name of the app in texts; empty for the host of `publicURL`.
    package var appName = ""
    /// The language of lcfile's own texts.
    package var language = MailLanguage.english
    /// The folder with the operator's templates; `nil` for none.
    package var templateFolder: String?
    /// The settings of codes and of the queue.
    package var settings = SMSSettings()
    /// Whether an SMS needs a solved captcha.
    package var requiresCaptcha = false
    /// The URL of the gateway, a template; it can contain the key of the account, as header fields and body can.
    package var url = Secret("")
    /// The header fields for the gateway, one a line.
    package var headers = Secret("")
    /// The body for the gateway; empty for lcfile's own.
    package var body = Secret("")
    /// How values are escaped in the body.
    package var format = SMSWebhook.Format.json
    /// A text that the answer to an accepted SMS has.
    package var expected = ""
    /// Signs the requests.
    package var secret = Secret("")
    /// Seconds for one request.
    package var timeout = 10

    /// Creates the default settings.
    package init() {}

    /// Whether the calls of SMS exist.
    func isOn(country: String) -> Bool { provider != .off || !fixed(country: country).isEmpty }

    /// The numbers with fixed codes.
    func fixed(country: String) -> FixedNumbers {
        FixedNumbers(fixedNumbers.revealed, country: country) ?? FixedNumbers()
    }

    /// The texts.
    ///
    /// - Parameter host: The name of the app, if `sms.appName` has none.
    /// - Returns: The texts.
    /// - Throws: ``ExitError`` naming the file that is wrong.
    func templates(host: String) throws -> SMSTemplates {
        let files = try templateFolder.map { try TemplateFolder.read($0, of: "sms.templates") } ?? [:]
        do throws(TemplateFault) {
            return try SMSTemplates(
                replacing: files,
                appName: appName.isEmpty ? host : appName,
                language: language
            )
        } catch {
            throw ExitError.configuration("sms.templates: \(error.message)")
        }
    }

    /// The settings of the webhook.
    ///
    /// - Throws: ``ExitError`` naming the setting that is wrong.
    func webhook() throws(ExitError) -> SMSWebhook.Settings {
        let used = body.revealed.isEmpty ? SMSConfiguration.usualBody(format) : body.revealed
        return SMSWebhook.Settings(
            url: try SMSConfiguration.template(url.revealed, "sms.webhook"),
            headers: try SMSConfiguration.headers(headers.revealed),
            body: try SMSConfiguration.template(used, "sms.webhookBody"),
            format: format,
            expected: expected,
            secret: secret,
            timeout: timeout
        )
    }

    /// The settings that do not fit together, and what is wrong with the operator's files.
    ///
    /// - Parameter country: `accounts.countryCode`.
    /// - Returns: All conflicts.
    func conflicts(country: String) -> [SettingConflict] {
        var conflicts: [SettingConflict] = []
        func add(_ name: String, sentence: String) {
            conflicts.append(SettingConflict(name, sentence: sentence))
        }
        if FixedNumbers(fixedNumbers.revealed, country: country) == nil {
            // The value is a secret and is not repeated.
            add(
                "sms.fixedNumbers",
                sentence: "sms.fixedNumbers must be numbers with codes of six digits, such as +8613800000000=123456, "
                    + "separated by commas"
            )
        }
        if provider != .off || !fixedNumbers.revealed.isEmpty {
            do {
                _ = try templates(host: "")
            } catch {
                add("sms.templates", sentence: "\(error)")
            }
        }
        guard provider == .webhook else { return conflicts }
        if !["https://", "http://"].contains(where: url.revealed.hasPrefix) {
            add(
                "sms.webhook",
                sentence: "sms.provider: webhook needs sms.webhook, the http or https URL of the gateway"
            )
        }
        do {
            _ = try webhook()
        } catch {
            add("sms.webhook", sentence: error.description)
        }
        let length = secret.revealed.utf8.count
        if length > 0, length < SMSConfiguration.shortestSecret {
            let sentence = "sms.webhookSecret must have at least \(SMSConfiguration.shortestSecret) bytes"
            add("sms.webhookSecret", sentence: sentence)
        }
        return conflicts
    }

    /// The minimum length of the secret in bytes.
    private static let shortestSecret = 16

    /// lcfile's own body, which has everything that a relay needs.
    private static func usualBody(_ format: SMSWebhook.Format) -> String {
        let names = SMSWebhook.variables.filter { $0 != "variables" }
        switch format {
        case .json:
            return "{" + names.map { "\"\($0)\":\"{{\($0)}}\"" }.joined(separator: ",")
                + ",\"variables\":{{variables}}}"
        case .form: return names.map { "\($0)={{\($0)}}" }.joined(separator: "&")
        case .query: return ""
        }
    }

    private static func template(_ text: String, _ setting: String) throws(ExitError) -> TextTemplate {
        let template: TextTemplate
        do throws(TemplateFault) {
            template = try TextTemplate(text, allowed: nil)
        } catch {
            throw ExitError.configuration("\(setting) \(error.message)")
        }
        let unknown = template.variables.filter { !SMSWebhook.variables.contains($0) && !$0.hasPrefix("var.") }
        guard let name = unknown.min() else { return template }
        let allowed = SMSWebhook.variables.joined(separator: ", ")
        throw ExitError.configuration(
            "\(setting) has the unknown variable '{{\(name)}}'; allowed: \(allowed), var.<name>"
        )
    }

    /// Header fields, one a line; values are secrets and are not repeated in errors.
    private static func headers(_ text: String) throws(ExitError) -> [(name: String, value: TextTemplate)] {
        var headers: [(name: String, value: TextTemplate)] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            let name = parts.first.map(String.init) ?? ""
            guard parts.count == 2, !name.isEmpty,
                name.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-_".utf8.contains($0) })
            else {
                throw .configuration("sms.webhookHeaders must have one 'Name: value' a line")
            }
            let value = parts[1].drop { $0 == " " }
            headers.append((name, try template(String(value), "sms.webhookHeaders")))
        }
        return headers
    }
}
