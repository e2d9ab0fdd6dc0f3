internal import CurlMail
internal import Domain

/// The settings of mails and censorship.
extension ServerConfiguration {
    /// Reads `censorship.*`.
    mutating func readCensorship(_ reader: inout SettingReader) {
        reader.number("censorship.workers", 1...64, into: &censorship.limits.workers)
        reader.number("censorship.attempts", 1...20, into: &censorship.limits.attempts)
        reader.number("censorship.retryPause", 1...3600, into: &censorship.limits.retryPause)
        reader.number("censorship.timeout", 1...3600, into: &censorship.limits.timeout)
        reader.number("censorship.frames", 1...100, into: &censorship.limits.frames)
        reader.text("censorship.model", into: &censorship.model)
        reader.text("censorship.classifier", into: &censorship.classifier)
        reader.address("censorship.webhook", into: &censorship.webhookURL)
        reader.secret("censorship.webhookSecret", into: &censorship.secret)
        reader.number("censorship.webhookTimeout", 1...3600, into: &censorship.webhookTimeout)
        reader.number("censorship.callbackTimeout", 1...2_592_000, into: &censorship.limits.callbackTimeout)
        reader.address("censorship.purge", into: &censorship.purgeURL)
    }

    /// Reads `mail.*`.
    mutating func readMail(_ reader: inout SettingReader) {
        reader.value("mail.server", "smtp://host:port or smtps://host:port", into: &mail.server) {
            MailConfiguration.server($0)
        }
        let mailboxes = "an ASCII address such as app@example.org, also with a name: Example <app@example.org>"
        reader.value("mail.from", mailboxes, into: &mail.from) { Mailbox($0) }
        reader.value("mail.replyTo", mailboxes, into: &mail.replyTo) { Mailbox($0) }
        reader.text("mail.user", into: &mail.user)
        reader.secret("mail.password", into: &mail.password)
        reader.value("mail.starttls", "required, optional or off", into: &mail.encryption) {
            MailServer.Encryption(rawValue: $0)
        }
        mail.caFile = reader.path("mail.caFile")
        reader.number("mail.timeout", 1...600, into: &mail.timeout)
        reader.value("mail.language", "en or zh", into: &mail.language) { MailLanguage(rawValue: $0) }
        mail.templateFolder = reader.path("mail.templates")
        reader.value(
            "mail.redirects",
            "URLs such as https://app.example.org, separated by commas",
            into: &mail.redirects
        ) {
            MailConfiguration.redirects($0)
        }
        reader.number("mail.maxPerAddress", 0...1_000_000, into: &mail.limits.perAddress)
        reader.number("mail.maxPerClient", 0...1_000_000, into: &mail.limits.perClient)
        reader.number("mail.maxPerApp", 0...100_000_000, into: &mail.limits.perApp)
        reader.number("mail.workers", 1...16, into: &mail.workers)
        reader.number("mail.retryPause", 1...3600, into: &mail.retryPause)
        reader.number("mail.giveUpAfter", 1...2_592_000, into: &mail.giveUpAfter)
        reader.number("mail.deadLetterLifetime", 1...31_536_000, into: &mail.deadLetterLifetime)
        reader.number("mail.verifyLifetime", 1...31_536_000, into: &mail.verifyLifetime)
        reader.number("mail.resetLifetime", 1...31_536_000, into: &mail.resetLifetime)
    }
}
