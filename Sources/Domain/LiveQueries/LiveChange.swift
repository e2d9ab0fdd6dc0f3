/// A change, or a log-in, that can concern live queries.
struct LiveChange: Sendable {
    /// What happened.
    enum Kind: Sendable {
        case created
        case updated
        case deleted
        case loggedIn
    }

    let kind: Kind
    let className: ClassName
    let id: ObjectID
    /// The position of the change in the buffer.
    let position: Int
    /// The object before; `nil` if it was created or logged in.
    let before: StoredObject?
    /// The object after, or the user who logged in; `nil` if it was deleted.
    let after: StoredObject?
    /// The nodes that can match one of the states, those that took long before last.
    private(set) var nodes: [LiveNode] = []

    /// Reads the states of a change.
    ///
    /// - Throws: An error for text that only another program can have written.
    init(_ change: Change, at position: Int) throws {
        kind =
            switch change.kind {
            case .created: .created
            case .updated: .updated
            case .deleted: .deleted
            }
        className = change.className
        id = change.id
        self.position = position
        before = try change.before?.object()
        after = try change.after?.object()
    }

    /// Creates the log-in of a user.
    init(logIn user: StoredObject, at position: Int) {
        kind = .loggedIn
        className = .user
        id = user.id
        self.position = position
        before = nil
        after = user
    }

    /// The change with the nodes of a table that can match; `nil` if there are none.
    func finding(_ table: LiveNodeTable) throws -> LiveChange? {
        let nodes = try table.candidates([before, after].compactMap { $0 })
        guard !nodes.isEmpty else { return nil }
        var change = self
        let isSlow = Dictionary(grouping: nodes, by: \.isSlow)
        change.nodes = (isSlow[false] ?? []) + (isSlow[true] ?? [])
        return change
    }

    /// The event for a subscriber whose query held for the states as given; `nil` if there is none.
    func event(before: Bool, after: Bool) -> LiveEvent.Kind? {
        switch (kind, before, after) {
        case (.created, _, true): .create
        case (.updated, false, true): .enter
        case (.updated, true, true): .update
        case (.updated, true, false): .leave
        case (.deleted, true, _): .delete
        case (.loggedIn, _, true): .login
        default: nil
        }
    }

    /// The changes to buffer of those that were committed together: without the sessions that sign-ups begin, which are
    /// not log-ins.
    static func withoutSignUps(_ changes: [Change]) -> [Change] {
        guard changes.contains(where: { $0.className == .session && $0.kind == .created }) else { return changes }
        let created = Set(changes.lazy.filter { $0.className == .user && $0.kind == .created }.map(\.id))
        guard !created.isEmpty else { return changes }
        return changes.filter { change in
            guard change.className == .session, change.kind == .created, let user = change.sessionUser else {
                return true
            }
            return !created.contains(user)
        }
    }
}

extension Change {
    /// The user of a session that was created or used by a further log-in; `nil` for other changes, also for the session
    /// of a refreshed token, of a new password or of a repeated import.
    var sessionUser: ObjectID? {
        guard className == .session, kind != .deleted, let session = try? after?.object(),
            session.fields[Session.isRenewed] == nil
        else { return nil }
        return session.user
    }
}
