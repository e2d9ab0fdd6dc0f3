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

    /// Leases the next mail that is due, and makes its link; drops rows without a mail, and mails that are no longer
    /// needed.
    ///
    /// - Parameters:
    ///   - lease: The name of the lease; no other lease has it.
    ///   - now: The time.
    ///   - end: When the lease ends, and another worker can take the mail.
    ///   - settings: The lives of links.
    ///   - ids: Generates the id of the link.
    /// - Returns: The mail and the token of its link; `nil` if none is due.
    /// - Throws: Errors of the store.
    func leaseMail(
        as lease: String,
        at now: Timestamp,
        until end: Timestamp,
        _ settings: MailSettings,
        ids: ObjectIDGenerator
    ) throws -> (mail: QueuedMail, token: MailToken)? {
        let due = ObjectQuery(
            .mail,
            where: QueuedMail.has(.waiting, before: now),
            order: QueuedMail.order,
            page: Page(first: 20)
        )
        for row in try find(due) {
            // A row that another program wrote would come first for ever.
            guard var mail = QueuedMail(row), let user = mail.user, try isNeeded(mail, by: user) else {
                _ = try delete(row.id, in: .mail)
                continue
            }
            let isTheirs = Condition.field(FieldPath(field: "user"), .equals(Pointer(.user, user).json))
            let surplus = try count(isTheirs, in: .mailLink) - MailLink.maxLinks + 1
            if surplus > 0 {
                let oldest = ObjectQuery(.mailLink, where: isTheirs, page: Page(first: surplus))
                try delete(try rows(oldest).map(\.id), in: .mailLink)
            }
            let token = MailToken()
            let life = now.adding(seconds: settings.lifetime(of: mail.purpose))
            let fields = MailLink.fields(of: mail, user, token, until: life)
            try insert(StoredObject(id: ids.next(), createdAt: now, updatedAt: now, fields: fields), into: .mailLink)
            mail.lease = lease
            mail.due = end
            try update(mail.object, in: .mail, from: row)
            return (mail, token)
        }
        return nil
    }

    /// The row of a mail, if the lease is still the worker's.
    func leased(_ mail: QueuedMail) throws -> QueuedMail? {
        guard let row = try object(mail.id, in: .mail).flatMap(QueuedMail.init), row.lease == mail.lease,
            mail.lease != nil
        else { return nil }
        return row
    }

    private func isNeeded(_ mail: QueuedMail, by user: ObjectID) throws -> Bool {
        guard let user = try object(user, in: .user), user.fields[AccountName.email.rawValue] == .string(mail.to) else {
            return false
        }
        return mail.purpose != .verify || user.fields["emailVerified"] != .bool(true)
    }
}

extension ReadTransaction {
    /// When the next waiting mail is due, leased ones included; `nil` if none waits.
    func nextMailDue() throws -> Timestamp? {
        let first = ObjectQuery(.mail, where: QueuedMail.has(.waiting), order: QueuedMail.order, page: .first)
        return try find(first).first?.updatedAt
    }
}
