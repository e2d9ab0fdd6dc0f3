/// One live query of one installation.
struct LiveSubscription: Sendable {
    /// The id that the client knows.
    let id: LiveQueryID
    /// The installation whose connections get the events.
    let installation: InstallationID
    /// The class and the condition.
    let node: LiveNode
    /// The caller whose rights decide.
    let caller: LiveCallers.Key
    /// The client in whose shares of limits it counts.
    let owner: LiveOwner
    /// Whether events show the ACL.
    let returnsACL: Bool
    /// The position in the buffer of changes at which the subscription began; it gets no events about earlier changes.
    let since: Int
}

/// The callers of subscriptions, one for each session, as they were last looked up.
struct LiveCallers: Sendable {
    /// What callers with equal rights have in common.
    enum Key: Sendable, Hashable {
        case master
        case guest
        case session(ObjectID)
    }

    private struct Entry {
        var caller: Caller
        var subscriptions = 0
    }

    private var entries: [Key: Entry] = [:]

    /// The key of a caller.
    static func key(of caller: Caller) -> Key {
        if caller.isMaster { return .master }
        return caller.user.map { .session($0.session) } ?? .guest
    }

    /// The caller of a key; `nil` without subscriptions.
    subscript(key: Key) -> Caller? { entries[key]?.caller }

    /// Counts one more subscription of a caller, as just looked up.
    mutating func insert(_ caller: Caller) {
        let key = LiveCallers.key(of: caller)
        // What decides about events depends on neither the address nor, with the master key, on the user.
        let rights = Caller(app: caller.app, isMaster: caller.isMaster, user: caller.isMaster ? nil : caller.user)
        entries[key, default: Entry(caller: rights)].subscriptions += 1
        update(key, to: rights)
    }

    /// Counts one subscription less.
    mutating func remove(_ key: Key) {
        entries[key]?.subscriptions -= 1
        if entries[key]?.subscriptions == 0 { entries[key] = nil }
    }

    /// Stores the result of a newer look-up: a caller without a user is a guest whose session has ended.
    mutating func update(_ key: Key, to caller: Caller) {
        // An ended session never comes back.
        guard let known = entries[key]?.caller, let user = known.user else { return }
        if let newer = caller.user, newer.epoch < user.epoch { return }
        entries[key]?.caller = caller
    }
}
