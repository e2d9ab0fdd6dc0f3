/// Publishes statuses, and shows the inboxes to which they are delivered (protocol/data 9, docs/people.md).
package struct FeedService: Sendable {
    let store: any ObjectStore
    let settings: ObjectSettings
    let objects: ObjectService
    let engine: any PatternEngine
    private let rate: RateLimit<ObjectID>

    /// - Parameters:
    ///   - store: The app's store.
    ///   - settings: The settings of objects.
    ///   - objects: Decides when queries run.
    ///   - engine: Parses regular expressions in conditions.
    ///   - clock: Returns the current time, for the limit of statuses in an hour.
    package init(
        store: any ObjectStore,
        settings: ObjectSettings,
        objects: ObjectService,
        engine: any PatternEngine,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.store = store
        self.settings = settings
        self.objects = objects
        self.engine = engine
        rate = RateLimit(
            settings.people.statuses,
            seconds: 3600,
            setting: "people.maxStatuses",
            refusal: "The user has published \(settings.people.statuses) statuses, the limit for one hour",
            clock: clock
        )
    }

    /// Publishes a status.
    ///
    /// It is in the first two hundred inboxes when this returns; the queue delivers it to all others.
    ///
    /// - Parameters:
    ///   - body: `data`, the fields of the status; `query`, the ``StatusTarget``; `inboxType`; and `source`, the
    ///     author, which can also be in `data`.
    ///   - caller: The author, or the master key with a `source`.
    ///   - presence: Cancels the query of the target when the client disconnects.
    /// - Returns: The id and the time of the status; `created`.
    /// - Throws: ``ServiceError/Code/sessionRequired`` for a guest, ``ServiceError/Code/forbidden`` for another source
    ///   than the caller, ``ServiceError/Code/overloaded`` beyond the limit, and errors of queries and of the rules of
    ///   objects.
    package func publish(
        _ body: [String: JSONValue],
        as caller: Caller,
        presence: (any CallerPresence)? = nil
    ) async throws -> ObjectReply {
        let data = body["data"] ?? .object([:])
        let given =
            try Pointer.user(data.objectValue?["source"], field: "data.source")
            ?? Pointer.user(body["source"], field: "source")
        guard let source = given ?? caller.user?.id else { throw Caller.noSession }
        guard caller.isMaster || caller.user != nil else { throw Caller.noSession }
        guard caller.isMaster || caller.user?.id == source else { throw FeedService.foreignSource }
        let target = try StatusTarget(body["query"])
        let type = try InboxType(body["inboxType"])
        var change = try ObjectChange(data, allowsPaths: false)
        for field in ["source", "inboxType", "messageId"] { _ = change.remove(field) }
        try await objects.requireSize(of: change, to: nil, in: .status, by: caller)
        if !caller.isMaster { try rate.take(for: source) }
        do {
            let budget = objects.budget(presence)
            let first = try await objects.reading(as: caller, within: budget) { [engine] rules in
                try rules.recipients(of: target, after: nil, engine: engine)
            }
            return try await store.write(as: caller, by: settings) { [change] rules in
                let status = NewStatus(change: change, source: source, type: type, target: target)
                return try rules.publish(status, to: first)
            }
        } catch {
            if !caller.isMaster { rate.giveBack(for: source) }
            throw error
        }
    }

    static let foreignSource = ServiceError(.forbidden, "The source of a status must be the user of the session.")
}

/// A status before it is stored.
private struct NewStatus: Sendable {
    let change: ObjectChange
    let source: ObjectID
    let type: InboxType
    let target: StatusTarget
}

extension ObjectWriteRules {
    fileprivate func publish(_ status: NewStatus, to first: Recipients) throws -> ObjectReply {
        // The session can have ended since the request began.
        try access.caller.requireActing(as: status.source)
        guard try writer.row(status.source, in: .user) != nil else {
            throw ServiceError(.userNotFound, "Could not find user.")
        }
        let schema = try writer.schema(of: .status)
        let acl = status.change.acl ?? schema?.defaultACL?.owned(by: status.source) ?? status.acl
        var edit = try newObject(status.change, in: .status, acl: acl)
        edit.object.fields["source"] = Pointer(.user, status.source).json
        edit.object.fields["inboxType"] = .string(status.type.description)
        try store(edit)
        let id = edit.object.id
        // The author sees the own statuses among those of others.
        let own = status.type == .standard ? [status.source] : []
        let delivery = StatusDelivery(status: id, source: status.source, type: status.type)
        try writer.deliver(
            delivery,
            to: own + first.users,
            settings.people,
            ids: settings.ids,
            at: settings.clock()
        )
        if let cursor = first.cursor {
            let order = DeliveryOrder(delivery: delivery, target: status.target, caller: access.caller)
            var job = PeopleJob(.deliver, id, delivery: order.json, id: settings.ids.next(), at: settings.clock())
            job.cursor = cursor
            try writer.queue(job)
        }
        return ObjectReply(created: edit.object, in: .status)
    }
}

extension NewStatus {
    /// The ACL if neither the status nor the class has one: everyone reads a status, but only its author and the owners
    /// of inboxes read a private one.
    fileprivate var acl: AccessControlList {
        var entries: [String: JSONValue] = [
            source.description: .object(["read": .bool(true), "write": .bool(true)])
        ]
        if type != .confidential { entries[AccessControlList.everyoneEntry] = .object(["read": .bool(true)]) }
        return AccessControlList(stored: entries)
    }
}
