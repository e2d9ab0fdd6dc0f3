/// The steps of the mail queue, each in one transaction.
extension WriteTransaction {
    /// Queues a mail.
    ///
    /// - Parameters:
    ///   - purpose: What the mail is for.
    ///   - address: The recipient.
    ///   - user: The user; `nil` for a row without a mail.
    ///   - redirect: The URL to which the link's page leads.
    ///   - id: The id of the row.
    ///   - now: The time.
    /// - Throws: Errors of the store.
    func queueMail(
        _ purpose: MailPurpose,
        to address: String,
        of user: ObjectID?,
        redirect: String? = nil,
        id: ObjectID,
        at now: Timestamp
    ) throws {
        let mail = QueuedMail(purpose, to: address, of: user, redirect: redirect, id: id, at: now)
        try insert(mail.object, into: .mail)
    }

    /// Makes the link of a mail that is leased.
    ///
    /// - Parameters:
    ///   - mail: The mail.
    ///   - now: The time.
    ///   - settings: The lives of links.
    ///   - ids: Generates the id of the link.
    /// - Returns: The token of the link; `nil` if the row has no mail, or the mail is no longer needed.
    /// - Throws: Errors of the store.
    func newLink(
        of mail: QueuedMail,
        at now: Timestamp,
        _ settings: MailSettings,
        ids: ObjectIDGenerator
    ) throws -> MailToken? {
        guard let user = mail.user, try isNeeded(mail, by: user) else { return nil }
        let token = MailToken()
        let life = now.adding(seconds: settings.lifetime(of: mail.purpose))
        let fields = MailLink.fields(of: mail, user, token, until: life)
        try makeRoom(for: mail.purpose, of: user)
        let link = StoredObject(id: ids.next(), createdAt: now, updatedAt: now, fields: fields)
        try insert(link, into: .mailLink)
        return token
    }

    /// Deletes the oldest links of a user for a purpose, if there are too many.
    private func makeRoom(for purpose: MailPurpose, of user: ObjectID) throws {
        let others = Condition.all([
            .field(FieldPath(field: "user"), .equals(Pointer(.user, user).json)),
            .field(FieldPath(field: "purpose"), .equals(.string(purpose.rawValue))),
        ])
        let surplus = try count(others, in: .mailLink) - MailLink.maxLinks + 1
        guard surplus > 0 else { return }
        let oldest = ObjectQuery(.mailLink, where: others, page: Page(first: surplus))
        try delete(try rows(oldest).map(\.id), in: .mailLink)
    }

    private func isNeeded(_ mail: QueuedMail, by user: ObjectID) throws -> Bool {
        guard let user = try object(user, in: .user), user.fields[AccountName.email.rawValue] == .string(mail.to) else {
            return false
        }
        return mail.purpose != .verify || !user.isVerified(.email)
    }
}
