/// What an operator sees of a queue and does with it, with the master key.
extension DeliveryQueue {
    /// The messages of a state: waiting ones by their next attempt, dead letters by their end.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - page: The part of the list.
    ///   - caller: The caller.
    /// - Returns: The messages.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``.
    package func messages(
        _ state: DeliveryTurn.State,
        _ page: Page,
        as caller: Caller
    ) async throws -> [Work.Message] {
        try caller.requireMasterKey()
        return try await messages(Work.Message.has(state), page)
    }

    private func messages(_ condition: Condition, _ page: Page) async throws -> [Work.Message] {
        try await store.read { reader in
            let query = ObjectQuery(Work.Message.queue, where: condition, order: Work.Message.order, page: page)
            return try reader.find(query).compactMap(Work.Message.init)
        }
    }

    /// Makes dead letters due at once, as if they were new.
    ///
    /// - Parameters:
    ///   - ids: The messages; `nil` for all dead letters. Messages that wait are due at once, too, and others are ignored.
    ///   - caller: The caller.
    /// - Returns: The number of messages.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``.
    package func retry(_ ids: [ObjectID]?, as caller: Caller) async throws -> Int {
        try caller.requireMasterKey()
        guard let ids else {
            // A message that is given up again in the meantime does not count a second time.
            let dead = Work.Message.has(.dead, before: clock())
            var count = 0
            while true {
                let dead = try await messages(dead, Page(first: 500)).map(\.id)
                guard !dead.isEmpty else { return count }
                count += try await makeDue(dead)
            }
        }
        return try await makeDue(ids)
    }

    private func makeDue(_ ids: [ObjectID]) async throws -> Int {
        let now = clock()
        return try await store.write { [work] writer in
            var count = 0
            for id in Set(ids) {
                guard let row = try writer.object(id, in: Work.Message.queue), var message = Work.Message(row),
                    message.lease == nil
                else { continue }
                message.state = .waiting
                message.due = now
                message.turn.since = now
                message.turn.attempts = 0
                try work.renew(&message, in: writer, at: now)
                try writer.update(message.object, in: Work.Message.queue, from: row)
                count += 1
            }
            return count
        }
    }

    /// How much waits now; it reads all waiting messages.
    ///
    /// - Returns: The numbers of messages.
    /// - Throws: Errors of the store.
    package func progress() async throws -> DeliveryProgress {
        let now = clock()
        return try await store.read { reader in
            let queue = Work.Message.queue
            let waiting = Work.Message.has(.waiting)
            var progress = DeliveryProgress()
            progress.waiting = try reader.count(waiting, in: queue)
            progress.dead = try reader.count(Work.Message.has(.dead), in: queue)
            let oldest = ObjectQuery(queue, where: waiting, order: [Work.Message.byAge], page: .first)
            if let first = try reader.find(oldest).first.flatMap(Work.Message.init)?.turn.since {
                progress.oldestSeconds = Int(max(0, now.milliseconds - first.milliseconds) / 1000)
            }
            return progress
        }
    }
}

/// How much is in one app's queue.
package struct DeliveryProgress: Sendable {
    /// Messages that wait.
    package var waiting = 0
    /// Dead letters.
    package var dead = 0
    /// Seconds since the oldest waiting message was caused, or was tried again by an operator; 0 without messages.
    package var oldestSeconds = 0
}
