/// What an operator sees of the mail queue and does with it, with the master key.
extension MailQueue {
    /// The mails of a state: waiting ones by their next attempt, dead letters by their end.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - page: The part of the list.
    ///   - caller: The caller.
    /// - Returns: The mails.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``.
    package func mails(_ state: QueuedMail.State, _ page: Page, as caller: Caller) async throws -> [QueuedMail] {
        try caller.requireMasterKey()
        return try await store.read { reader in
            let query = ObjectQuery(.mail, where: QueuedMail.has(state), order: QueuedMail.order, page: page)
            return try reader.find(query).compactMap(QueuedMail.init)
        }
    }

    /// Makes dead letters due at once, as if they were new.
    ///
    /// - Parameters:
    ///   - ids: The mails; `nil` for all dead letters. Mails that wait are due at once, too, and others are ignored.
    ///   - caller: The caller.
    /// - Returns: The number of mails.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``.
    package func retry(_ ids: [ObjectID]?, as caller: Caller) async throws -> Int {
        try caller.requireMasterKey()
        guard let ids else {
            var count = 0
            while true {
                let dead = try await mails(.dead, Page(first: 500), as: caller).map(\.id)
                guard !dead.isEmpty else { return count }
                count += try await makeDue(dead)
            }
        }
        return try await makeDue(ids)
    }

    private func makeDue(_ ids: [ObjectID]) async throws -> Int {
        let now = clock()
        return try await store.write { writer in
            var count = 0
            for id in Set(ids) {
                guard let row = try writer.object(id, in: .mail), var mail = QueuedMail(row), mail.lease == nil else {
                    continue
                }
                mail.state = .waiting
                mail.due = now
                mail.since = now
                mail.attempts = 0
                try writer.update(mail.object, in: .mail, from: row)
                count += 1
            }
            return count
        }
    }

    /// How much waits now.
    ///
    /// - Parameter outcome: What became of the last mail; `nil` if none was sent.
    /// - Returns: The numbers of mails.
    /// - Throws: Errors of the store.
    package func progress(after outcome: MailOutcome? = nil) async throws -> MailProgress {
        let now = clock()
        return try await store.read { reader in
            var progress = MailProgress()
            progress.outcome = outcome
            progress.waiting = try reader.count(QueuedMail.has(.waiting), in: .mail)
            progress.dead = try reader.count(QueuedMail.has(.dead), in: .mail)
            let oldest = ObjectQuery(
                .mail,
                where: QueuedMail.has(.waiting),
                order: [SortKey(FieldPath(field: "createdAt"))],
                page: .first
            )
            if let first = try reader.find(oldest).first {
                progress.oldestSeconds = Int(max(0, now.milliseconds - first.createdAt.milliseconds) / 1000)
            }
            return progress
        }
    }
}

/// How much is in one app's mail queue.
package struct MailProgress: Sendable {
    /// Mails that wait.
    package var waiting = 0
    /// Dead letters.
    package var dead = 0
    /// Seconds since the oldest waiting mail was caused; 0 without mails.
    package var oldestSeconds = 0
    /// What became of the last mail; `nil` if none was sent.
    package var outcome: MailOutcome?
}
