/// The mails that changes of users cause and end (docs/accounts.md, "Mail").
extension ObjectWriteRules {
    /// Sends a new address a link that verifies it, if the app's settings say so.
    ///
    /// - Parameters:
    ///   - user: The user as stored.
    ///   - before: The user before the change; `nil` for a new one.
    ///   - change: The change.
    /// - Throws: ``ServiceError/Code/invalidEmail`` for an address to which the server cannot send mail,
    ///   ``ServiceError/Code/tooManyMails``.
    func queueVerification(of user: StoredObject, instead before: StoredObject?, _ change: ObjectChange) throws {
        let field = AccountName.email.rawValue
        guard let mail = settings.mail, mail.verifiesAddresses, !change.isImport,
            let text = user.fields[field]?.stringValue, before?.fields[field]?.stringValue != text,
            user.fields["emailVerified"] != .bool(true)
        else { return }
        try mails.take(.verify, to: try MailAddress(deliverable: text), by: access.caller)
        try writer.queueMail(.verify, to: text, of: user.id, id: settings.ids.next(), at: settings.clock())
    }

    /// Makes the links of an old address or password void, and sends a new address a link.
    func followAddress(
        of user: StoredObject,
        from before: StoredObject,
        _ account: AccountChange,
        _ change: ObjectChange
    ) throws {
        let field = AccountName.email.rawValue
        let isNewAddress = (before.fields[field] ?? .null) != (user.fields[field] ?? .null)
        guard isNewAddress || account.passwordHash != nil else { return }
        try writer.voidMails(of: [user.id])
        if isNewAddress { try queueVerification(of: user, instead: before, change) }
    }
}

extension MailAddress {
    /// Checks an address to which a mail must be sent.
    ///
    /// - Throws: ``ServiceError/Code/invalidEmail``.
    init(deliverable text: String) throws {
        guard let address = MailAddress(text) else {
            throw ServiceError(
                .invalidEmail,
                "The email address was invalid: this server sends mail to ASCII addresses such as ann@example.org, and "
                    + "to other domains in their ASCII form, xn--."
            )
        }
        self = address
    }
}
