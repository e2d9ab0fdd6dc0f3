/// Changes whose events are being decided, with several transactions.
struct LiveWork: Sendable {
    /// A node that matches the first change.
    struct Match: Sendable {
        let node: LiveNode
        /// Whether it matched before the change.
        let before: Bool
        /// Whether it matches after the change.
        let after: Bool
        /// The subscriptions whose events are not made yet.
        var subscriptions: ArraySlice<LiveSubscription>
    }

    private var changes: ArraySlice<LiveChange>
    /// The nodes of the first change that are not evaluated yet.
    private var nodes: ArraySlice<LiveNode>
    /// The node whose subscriptions get their events; `nil` if the next one has to be evaluated.
    var match: Match?

    init(_ changes: [LiveChange]) {
        self.changes = changes[...]
        nodes = (changes.first?.nodes ?? [])[...]
    }

    /// The first change that is not decided; `nil` at the end.
    var change: LiveChange? { changes.first }

    /// Takes the next node of the change; `nil` if all are taken.
    mutating func nextNode() -> LiveNode? { nodes.popFirst() }

    /// Whether all nodes of the change are taken.
    var hasNoNodes: Bool { nodes.isEmpty }

    /// Goes on with the next change.
    mutating func endChange() {
        changes = changes.dropFirst()
        nodes = (changes.first?.nodes ?? [])[...]
        match = nil
    }
}
