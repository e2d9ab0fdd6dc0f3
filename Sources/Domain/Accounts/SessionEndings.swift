/// The epochs in which sessions and users ended, for a bounded number of them.
///
/// There are two generations. When the young one is full, the old one is dropped, and every entry that was read before
/// the last ending of the old one counts as ended.
struct SessionEndings: Sendable {
    private let bound: Int
    private var young: [ObjectID: Int] = [:]
    private var old: [ObjectID: Int] = [:]
    /// The epoch of the last ending of the old generation.
    private var oldEpoch = 0
    /// Every entry that was read before this epoch is invalid.
    private var floor = 0
    /// The number of endings so far.
    private(set) var epoch = 0

    /// - Parameter bound: The maximum number of endings in a generation.
    init(bound: Int) {
        self.bound = bound
    }

    /// Records the end of a session or a user.
    mutating func end(_ id: ObjectID) {
        if young.count >= bound {
            floor = max(floor, oldEpoch)
            old = young
            oldEpoch = epoch
            young = [:]
        }
        epoch += 1
        young[id] = epoch
    }

    /// Invalidates all entries that were read before.
    mutating func endAll() {
        epoch += 1
        floor = epoch
        young = [:]
        old = [:]
    }

    /// Whether neither the user nor the session ended since they were read.
    func isCurrent(_ user: Caller.User) -> Bool {
        user.epoch >= floor && lastEnding(of: user.id) <= user.epoch && lastEnding(of: user.session) <= user.epoch
    }

    private func lastEnding(of id: ObjectID) -> Int {
        young[id] ?? old[id] ?? 0
    }
}
