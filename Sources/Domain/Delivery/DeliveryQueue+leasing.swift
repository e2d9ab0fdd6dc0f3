internal import Synchronization

/// How workers lease messages, and how leases end.
extension DeliveryQueue {
    /// Gives back the messages that an earlier call of ``run(_:)`` leased; call it before each call.
    package func recover() async throws {
        try await giveBack(.field(FieldPath(field: "lease"), .exists(true)))
    }

    /// Makes leased messages due again.
    private func giveBack(_ isLeased: Condition) async throws {
        let now = clock()
        try await store.write { writer in
            for row in try writer.find(ObjectQuery(Work.Message.queue, where: isLeased, page: .all)) {
                guard var message = Work.Message(row) else { continue }
                message.lease = nil
                message.due = now
                try writer.update(message.object, in: Work.Message.queue, from: row)
            }
        }
    }

    /// Gives back what transactions leased that failed and can have been committed nevertheless, as when the database is
    /// lost at that moment.
    func giveBackUnknown() async throws {
        let leases = unknownLeases.withLock(\.self)
        guard !leases.isEmpty else { return }
        try await giveBack(.any(leases.map { .field(FieldPath(field: "lease"), .equals(.string($0))) }))
        unknownLeases.withLock { $0.subtract(leases) }
    }

    /// Leases the next message that is due; deletes rows that are no longer needed.
    func lease(at now: Timestamp) async throws -> (message: Work.Message, secret: Work.SecretPart)? {
        let lease = RandomString.lowercase(16)
        do {
            return try await leaseNext(at: now, as: lease)
        } catch {
            // Those that are left out end by themselves.
            unknownLeases.withLock { if $0.count < 100 { $0.insert(lease) } }
            throw error
        }
    }

    private func leaseNext(
        at now: Timestamp,
        as lease: String
    ) async throws -> (message: Work.Message, secret: Work.SecretPart)? {
        // Longer than an attempt can take, whose limit is a setting of at most ten minutes.
        let end = now.adding(seconds: 1200)
        let due = ObjectQuery(
            Work.Message.queue,
            where: Work.Message.has(.waiting, before: now),
            order: Work.Message.order,
            page: Page(first: 20)
        )
        return try await store.write { [work] writer in
            while true {
                let rows = try writer.find(due)
                guard !rows.isEmpty else { return nil }
                for row in rows {
                    // A row that another program wrote would come first for ever.
                    guard var message = Work.Message(row),
                        let secret = try work.secretPart(of: message, in: writer, at: now)
                    else {
                        _ = try writer.delete(row.id, in: Work.Message.queue)
                        continue
                    }
                    message.lease = lease
                    message.due = end
                    try writer.update(message.object, in: Work.Message.queue, from: row)
                    return (message, secret)
                }
            }
        }
    }

    func finish(_ message: Work.Message) async throws {
        try await store.write { writer in
            if try writer.leased(message) != nil { _ = try writer.delete(message.id, in: Work.Message.queue) }
        }
    }
}

extension WriteTransaction {
    /// The row of a message, if the lease is still the worker's.
    func leased<Message: QueuedMessage>(_ message: Message) throws -> Message? {
        guard let row = try object(message.id, in: Message.queue).flatMap(Message.init), row.lease == message.lease,
            message.lease != nil
        else { return nil }
        return row
    }
}
