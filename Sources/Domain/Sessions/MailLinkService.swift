/// Sends users links by mail, and does what the links are for (protocol/data 6.4, docs/accounts.md).
package struct MailLinkService: Sendable {
    private let store: any ObjectStore
    private let settings: ObjectSettings
    /// The texts of the pages; `nil` if the server sends no mails.
    package let templates: MailTemplates?

    private var accounts: AccountDependencies { settings.accountDependencies }

    /// - Parameters:
    ///   - store: The app's store.
    ///   - settings: The settings of objects and accounts.
    ///   - templates: The texts of the pages; `nil` if the server sends no mails.
    package init(store: any ObjectStore, settings: ObjectSettings, templates: MailTemplates? = nil) {
        self.store = store
        self.settings = settings
        self.templates = templates
    }

    /// Whether a page can lead its reader to a URL.
    package func allowsRedirect(to url: String) -> Bool {
        settings.mail?.redirects.allow(url) ?? false
    }

    /// Sends an address a link, if a user has the address; nothing is sent to an address that is already verified.
    ///
    /// With `accounts.hideUnknownUsers` an unknown address gets the same answer, after the same steps.
    ///
    /// - Parameters:
    ///   - purpose: What the link is for.
    ///   - body: Has `email`, and can have `redirect`.
    ///   - caller: The caller.
    /// - Throws: Codes 1, 119, 125, 204, 205, and ``ServiceError/Code/tooManyMails``.
    package func send(_ purpose: MailPurpose, _ body: [String: JSONValue], as caller: Caller) async throws {
        guard let mail = settings.mail else {
            throw ServiceError(
                // LeanCloud answers 1 to this call (protocol/data 6.4); what it answers to a reset is unknown.
                purpose == .verify ? .badRequest : .notAvailable,
                "This server sends no mails: the setting mail.server is missing."
            )
        }
        guard let text = body["email"]?.stringValue, !text.isEmpty else {
            throw ServiceError(.missingEmail, "The email address is missing.")
        }
        try AccountName.email.check(.string(text))
        let address = try MailAddress(deliverable: text)
        let redirect = try mail.redirects.checked(body["redirect"])
        let taken = TakenMessages(mail.allowance.messages)
        // The client's allowance stays used for an unknown address, so that addresses cannot be tried without a limit.
        try taken.take(purpose, to: address, by: caller)
        let hides = accounts.settings.hidesUnknownUsers
        do {
            let isQueued = try await store.write { [settings] writer in
                let user = try writer.users(.email, text, settings).first?.object()
                guard user != nil || hides else {
                    throw ServiceError(.emailNotFound, "Could not find user with this email address.")
                }
                let isVerified = purpose == .verify && user?.isVerified(.email) == true
                guard !isVerified || hides else { return false }
                try writer.queueMail(
                    purpose,
                    to: text,
                    of: isVerified ? nil : user?.id,
                    redirect: redirect,
                    id: settings.ids.next(),
                    at: settings.clock()
                )
                return user != nil && !isVerified
            }
            if !isQueued { taken.giveBackUnsent(hides: hides) }
        } catch let error as ServiceError where error.code == .emailNotFound {
            taken.giveBackUnsent(hides: hides)
            throw error
        } catch {
            taken.startOver()
            throw error
        }
    }

    /// The link of a token; `nil` unless it is valid.
    package func link(_ token: String) async throws -> MailLink? {
        guard let token = MailToken(token) else { return nil }
        return try await store.read { [settings] in try $0.mailLink(token, at: settings.clock())?.link }
    }

    /// Verifies the address to which a link was sent; the link is used up.
    ///
    /// - Parameter token: The token of the link.
    /// - Returns: The link; `nil` unless it was valid.
    /// - Throws: Errors of the store.
    package func verify(_ token: String) async throws -> MailLink? {
        guard let token = MailToken(token) else { return nil }
        return try await store.write { [settings] writer in
            guard let (link, before) = try writer.mailLink(token, at: settings.clock()), link.purpose == .verify else {
                return nil
            }
            try writer.voidMails(of: [link.user], for: .verify)
            guard !before.isVerified(.email) else { return link }
            var user = before
            user.verify(.email)
            user.touch(at: settings.clock())
            try writer.update(user, in: .user, from: before)
            return link
        }
    }

    /// Sets a new password; the link is used up, and sessions end if the settings say so.
    ///
    /// - Parameters:
    ///   - token: The token of the link.
    ///   - password: The password, as the reader of the page entered it.
    ///   - address: The client address, for which the password counts as a log-in and by which hashes are scheduled.
    /// - Returns: The link; `nil` unless it was valid.
    /// - Throws: Codes 201, 218, ``ServiceError/Code/badRequest`` for a password that is too long, and
    ///   ``ServiceError/Code/overloaded``, also for a client with too many log-ins.
    package func reset(_ token: String, to password: String, from address: String) async throws -> MailLink? {
        guard let valid = try await link(token), valid.purpose == .reset, let token = MailToken(token) else {
            return nil
        }
        let new = try Password(.string(password), limit: accounts.settings.maxPasswordLength)
        try accounts.requestLimits.takeLogIn(from: address)
        let hash = try await accounts.hasher.hash(new, for: .guest(address: address))
        return try await store.write { [settings] writer in
            guard let (link, before) = try writer.mailLink(token, at: settings.clock()), link.purpose == .reset else {
                return nil
            }
            try writer.voidMails(of: [link.user])
            try writer.voidSMS(of: [link.user])
            var user = before
            user.fields[PasswordHash.field] = .string(hash.text)
            // The link was sent to the present address, so its use proves the same as that of one that verifies.
            user.verify(.email)
            user.touch(at: settings.clock())
            try writer.update(user, in: .user, from: before)
            if settings.accountSettings.endsSessions { try writer.endSessions(of: link.user) }
            return link
        }
    }
}
