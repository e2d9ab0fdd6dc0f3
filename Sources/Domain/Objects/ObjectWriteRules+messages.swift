/// The mails and SMS that changes of users cause and end (docs/accounts.md, "Mail" and "SMS").
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
        guard let mail = settings.mail, mail.verifiesAddresses, !change.isFromOtherServer,
            let text = user.fields[field]?.stringValue, before?.fields[field]?.stringValue != text,
            !user.isVerified(.email)
        else { return }
        try mails.take(.verify, to: try MailAddress(deliverable: text), by: access.caller)
        try writer.queueMail(.verify, to: text, of: user.id, id: settings.ids.next(), at: settings.clock())
    }

    /// Sends a new number a code that verifies it, if the app's settings say so.
    ///
    /// - Parameters:
    ///   - user: The user as stored.
    ///   - before: The user before the change; `nil` for a new one.
    ///   - change: The change.
    /// - Throws: ``ServiceError/Code/invalidPhone`` for a number to which no SMS can be sent,
    ///   ``ServiceError/Code/tooManySMS``.
    func queueCode(of user: StoredObject, instead before: StoredObject?, _ change: ObjectChange) throws {
        let field = AccountName.phone.rawValue
        guard let policy = settings.sms, settings.accountSettings.verifiesPhone, !change.isFromOtherServer,
            let text = user.fields[field]?.stringValue, before?.fields[field]?.stringValue != text,
            !user.isVerified(.phone)
        else { return }
        let number = try PhoneNumber(text, country: settings.accountSettings.countryCode)
        try policy.requireSending(to: number)
        if policy.sends(to: number) { try sms.take(to: number.description, by: access.caller) }
        let order = SMSOrder(
            purpose: .verifyPhone,
            number: number,
            user: user.id,
            content: SMSContent(.verifyPhone),
            lifetime: policy.settings.codeLifetime
        )
        try writer.queueSMS(order, policy, ids: settings.ids, at: settings.clock())
    }

    /// Makes the links and codes of an old address, number or password void, and sends a new address a link and a new
    /// number a code.
    func followAddress(
        of user: StoredObject,
        from before: StoredObject,
        _ account: AccountChange,
        _ change: ObjectChange
    ) throws {
        func isNew(_ name: AccountName) -> Bool {
            let (old, new) = (before.fields[name.rawValue], user.fields[name.rawValue])
            return !name.isSame(new, as: old, country: settings.accountSettings.countryCode)
        }
        let (isNewAddress, isNewNumber) = (isNew(.email), isNew(.phone))
        if isNewAddress || account.passwordHash != nil { try writer.voidMails(of: [user.id]) }
        if isNewNumber || account.passwordHash != nil { try writer.voidSMS(of: [user.id]) }
        if isNewAddress { try queueVerification(of: user, instead: before, change) }
        if isNewNumber { try queueCode(of: user, instead: before, change) }
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
