package import CurlMail
package import Domain
internal import Storage

/// The settings of mails.
package struct MailConfiguration: Sendable {
    /// The URL of the mail server; `nil` means that no mails are sent.
    package var server: String?
    /// The sender.
    package var from: Mailbox?
    /// Where answers go; `nil` for the sender.
    package var replyTo: Mailbox?
    /// The user with which the server logs in; empty for no log-in.
    package var user = ""
    /// The user's password.
    package var password = Secret("")
    /// Whether STARTTLS is used; `nil` means that it is required with a user and optional without.
    package var encryption: MailServer.Encryption?
    /// The path of certificates in PEM of further authorities.
    package var caFile: String?
    /// Seconds for one mail.
    package var timeout = 60
    /// The language of mails.
    package var language = MailLanguage.english
    /// The folder with the operator's templates; `nil` for none.
    package var templateFolder: String?
    /// The beginnings of the URLs to which pages can lead.
    package var redirects: [String] = []
    /// How often mails are caused.
    package var limits = MailSettings.Limits()
    /// Mails of one app that are sent at the same time.
    package var workers = 2
    /// Seconds before a mail is sent again.
    package var retryPause = 30
    /// Seconds after which a mail becomes a dead letter.
    package var giveUpAfter = 259_200
    /// Seconds for which dead letters are stored.
    package var deadLetterLifetime = 2_592_000
    /// Seconds for which a link verifies an address.
    package var verifyLifetime = 604_800
    /// Seconds for which a link resets a password.
    package var resetLifetime = 86_400

    /// Creates the default settings.
    package init() {}

    /// The settings of the queue; `nil` if no mails are sent.
    var settings: MailSettings? {
        guard server != nil, let from else { return nil }
        return MailSettings(
            from: from,
            replyTo: replyTo,
            language: language,
            limits: limits,
            workers: workers,
            retryPause: retryPause,
            giveUpAfter: giveUpAfter,
            deadLetterLifetime: deadLetterLifetime,
            verifyLifetime: verifyLifetime,
            resetLifetime: resetLifetime
        )
    }

    /// The mail server; `nil` if no mails are sent.
    var mailServer: MailServer? {
        guard let url = server else { return nil }
        var server = MailServer(url: url)
        server.user = user
        server.password = password.revealed
        server.encryption = encryption ?? (user.isEmpty ? .optional : .required)
        server.caFile = caFile
        server.timeout = timeout
        return server
    }

    /// The settings that do not fit together, and what is wrong with the operator's files.
    var conflicts: [SettingConflict] {
        guard server != nil else { return [] }
        var conflicts: [SettingConflict] = []
        if from == nil {
            conflicts.append(SettingConflict("mail.from", sentence: "mail.server needs mail.from, the sender of mails"))
        }
        if user.isEmpty != password.revealed.isEmpty {
            let sentence = "mail.user and mail.password go together; set both or none"
            conflicts.append(SettingConflict("mail.user", "mail.password", sentence: sentence))
        }
        if let caFile, !TemplateFolder.isReadable(caFile) {
            conflicts.append(SettingConflict("mail.caFile", sentence: "mail.caFile: the file \(caFile) cannot be read"))
        }
        do {
            _ = try templates(appName: "")
        } catch {
            conflicts.append(SettingConflict("mail.templates", sentence: "\(error)"))
        }
        return conflicts
    }

    /// The texts of mails and pages.
    ///
    /// - Parameter appName: The name of the app in them.
    /// - Returns: The texts.
    /// - Throws: ``ExitError`` naming the file that is wrong.
    func templates(appName: String) throws -> MailTemplates {
        let files = try templateFolder.map { try TemplateFolder.read($0, of: "mail.templates") } ?? [:]
        do throws(TemplateFault) {
            return try MailTemplates(replacing: files, appName: appName)
        } catch {
            throw ExitError.configuration("mail.templates: \(error.message)")
        }
    }

    /// An smtp or smtps URL without a path and a user; `nil` for other strings.
    static func server(_ text: String) -> String? {
        var text = text
        while text.last == "/" { text.removeLast() }
        let rest = ["smtp://", "smtps://"].lazy.compactMap { text.hasPrefix($0) ? text.dropFirst($0.count) : nil }.first
        guard let rest, !rest.isEmpty,
            rest.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-._:[]".utf8.contains($0) })
        else { return nil }
        return text
    }

    /// A list of http or https URLs, separated by commas; `nil` for other strings.
    static func redirects(_ text: String) -> [String]? {
        let urls = text.split(separator: ",").map { SettingReader.address(String($0.filter { $0 != " " })) }
        return urls.contains { $0 == nil } ? nil : urls.compactMap(\.self)
    }
}
