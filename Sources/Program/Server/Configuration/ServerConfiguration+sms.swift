internal import Domain

/// The settings of SMS.
extension ServerConfiguration {
    /// Reads `sms.*`.
    mutating func readSMS(_ reader: inout SettingReader) {
        let providers = SMSConfiguration.Provider.allCases.map(\.rawValue).joined(separator: ", ")
        reader.value("sms.provider", providers, into: &sms.provider) { SMSConfiguration.Provider(rawValue: $0) }
        reader.secret("sms.fixedNumbers", into: &sms.fixedNumbers)
        reader.text("sms.appName", into: &sms.appName)
        reader.text("sms.sign", into: &sms.settings.sign)
        reader.value("sms.language", "en or zh", into: &sms.language) { MailLanguage(rawValue: $0) }
        sms.templateFolder = reader.path("sms.templates")
        reader.number("sms.codeLifetime", 60...1800, into: &sms.settings.codeLifetime)
        reader.number("sms.maxTries", 1...100, into: &sms.settings.maxTries)
        reader.number("sms.maxPerMinute", 0...1000, into: &sms.settings.limits.perMinute)
        reader.number("sms.maxPerDay", 0...100_000, into: &sms.settings.limits.perDay)
        reader.number("sms.maxPerClient", 0...1_000_000, into: &sms.settings.limits.perClient)
        reader.number("sms.maxPerApp", 0...100_000_000, into: &sms.settings.limits.perApp)
        reader.flag("sms.requireCaptcha", into: &sms.requiresCaptcha)
        reader.secret("sms.webhook", into: &sms.url)
        let formats = SMSWebhook.Format.allCases.map(\.rawValue).joined(separator: ", ")
        reader.value("sms.webhookFormat", formats, into: &sms.format) { SMSWebhook.Format(rawValue: $0) }
        reader.secret("sms.webhookBody", into: &sms.body)
        reader.secret("sms.webhookHeaders", into: &sms.headers)
        reader.text("sms.webhookExpects", into: &sms.expected)
        reader.secret("sms.webhookSecret", into: &sms.secret)
        reader.number("sms.webhookTimeout", 1...600, into: &sms.timeout)
        reader.number("sms.workers", 1...16, into: &sms.settings.workers)
        reader.number("sms.retryPause", 1...3600, into: &sms.settings.retryPause)
        reader.number("sms.giveUpAfter", 1...2_592_000, into: &sms.settings.giveUpAfter)
        reader.number("sms.deadLetterLifetime", 1...31_536_000, into: &sms.settings.deadLetterLifetime)
    }
}
