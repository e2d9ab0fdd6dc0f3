/// The `mail.*` settings of the queue and of the links in mails.
package struct MailSettings: Sendable {
    /// The sender of all mails.
    package var from: Mailbox
    /// Where answers go; `nil` for the sender.
    package var replyTo: Mailbox?
    /// The language of mails.
    package var language: MailLanguage
    /// How often mails are caused.
    package var limits: Limits
    /// Mails of one app that are sent at the same time.
    package var workers: Int
    /// Seconds before a mail is sent again after its first failure; they double each time, up to an hour.
    package var retryPause: Int
    /// Seconds after which a mail that cannot be delivered becomes a dead letter.
    package var giveUpAfter: Int
    /// Seconds for which dead letters are stored.
    package var deadLetterLifetime: Int
    /// Seconds for which a link verifies an address.
    package var verifyLifetime: Int
    /// Seconds for which a link resets a password.
    package var resetLifetime: Int

    /// Creates settings; the defaults are those of the configuration.
    package init(
        from: Mailbox,
        replyTo: Mailbox? = nil,
        language: MailLanguage = .english,
        limits: Limits = Limits(),
        workers: Int = 2,
        retryPause: Int = 30,
        giveUpAfter: Int = 259_200,
        deadLetterLifetime: Int = 2_592_000,
        verifyLifetime: Int = 604_800,
        resetLifetime: Int = 86_400
    ) {
        self.from = from
        self.replyTo = replyTo
        self.language = language
        self.limits = limits
        self.workers = workers
        self.retryPause = retryPause
        self.giveUpAfter = giveUpAfter
        self.deadLetterLifetime = deadLetterLifetime
        self.verifyLifetime = verifyLifetime
        self.resetLifetime = resetLifetime
    }

    /// How many mails are caused in an hour; 0 means no limit.
    package struct Limits: Sendable {
        /// Mails to one address.
        package var perAddress = 5
        /// Mails that clients at one client address cause.
        package var perClient = 60
        /// Mails of one app.
        package var perApp = 2000

        /// Creates the default limits.
        package init() {}
    }

    /// How the queue sends mails.
    package var delivery: DeliverySettings {
        DeliverySettings(
            workers: workers,
            retryPause: retryPause,
            giveUpAfter: giveUpAfter,
            deadLetterLifetime: deadLetterLifetime
        )
    }

    /// Seconds for which a link is valid.
    func lifetime(of purpose: MailPurpose) -> Int {
        switch purpose {
        case .verify: verifyLifetime
        case .reset: resetLifetime
        }
    }
}

/// What a mail, and the link in it, is for.
package enum MailPurpose: String, Sendable, CaseIterable {
    /// Verify that an address belongs to the user.
    case verify
    /// Set a new password.
    case reset
}

/// The languages of mails and pages.
package enum MailLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case chinese = "zh"

    /// The language that a client prefers by its `Accept-Language` (RFC 9110 section 12.5.4); English without a match.
    package init(acceptLanguage text: String) {
        var best: (language: MailLanguage, weight: Double)?
        for range in text.split(separator: ",").prefix(32) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            guard let tag = parts.first?.split(separator: "-").first,
                let language = MailLanguage(rawValue: String(tag))
            else { continue }
            let weight =
                parts.dropFirst().lazy.compactMap { $0.hasPrefix("q=") ? Double($0.dropFirst(2)) : nil }.first ?? 1
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        self = best?.language ?? .english
    }

    /// A number of seconds in whole days, or else in hours or minutes.
    func duration(_ seconds: Int) -> String {
        let (count, unit): (Int, Int) =
            seconds >= 172_800 && seconds.isMultiple(of: 86_400)
            ? (seconds / 86_400, 0) : seconds >= 7200 ? (seconds / 3600, 1) : (max(1, seconds / 60), 2)
        switch self {
        case .english: return "\(count) \(["day", "hour", "minute"][unit])\(count == 1 ? "" : "s")"
        case .chinese: return "\(count) \(["天", "小时", "分钟"][unit])"
        }
    }
}
