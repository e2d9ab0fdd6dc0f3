/// The changes that a subscriber receives.
package struct ChangeFilter: Sendable {
    /// The states of an object that come with a change.
    package struct States: OptionSet, Sendable {
        package let rawValue: UInt8

        /// Creates a set from one bit for each state.
        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// ``Change/before``; the store reads it if the rules have not.
        package static let before = States(rawValue: 1)
        /// ``Change/after``.
        package static let after = States(rawValue: 2)
    }

    /// The ends of sessions and users, and changes of roles: what makes facts about callers outdated.
    ///
    /// A change of a role can affect any user, directly or through other roles.
    static let ofCallers = [ChangeFilter(.session, [.deleted]), ChangeFilter(.user, [.deleted]), ChangeFilter(.role)]

    let className: ClassName?
    let kinds: Set<Change.Kind>
    let states: States

    /// - Parameters:
    ///   - className: The class; `nil` for every class, including internal ones.
    ///   - kinds: The kinds of changes.
    ///   - states: The states that the subscriber uses. Others are `nil`, unless another subscriber requested them.
    package init(
        _ className: ClassName?,
        _ kinds: Set<Change.Kind> = Set(Change.Kind.allCases),
        states: States = []
    ) {
        self.className = className
        self.kinds = kinds
        self.states = states
    }
}

/// The union of filters, for a quick look-up by class and kind.
package struct WantedChanges: Sendable {
    private typealias Kinds = [Change.Kind: ChangeFilter.States]

    private var ofEveryClass: Kinds = [:]
    private var ofClass: [ClassName: Kinds] = [:]

    init(_ filters: some Sequence<ChangeFilter>) {
        for filter in filters {
            for kind in filter.kinds {
                if let name = filter.className {
                    ofClass[name, default: [:]][kind, default: []].formUnion(filter.states)
                } else {
                    ofEveryClass[kind, default: []].formUnion(filter.states)
                }
            }
        }
    }

    /// The states to publish with a change of a kind; `nil` if no subscriber receives the change.
    package func states(of kind: Change.Kind, in name: ClassName) -> ChangeFilter.States? {
        let common = ofEveryClass.isEmpty ? nil : ofEveryClass[kind]
        guard !ofClass.isEmpty, let own = ofClass[name]?[kind] else { return common }
        return common.map(own.union) ?? own
    }

    func contains(_ change: Change) -> Bool {
        states(of: change.kind, in: change.className) != nil
    }

    /// Whether a change lacks a state that a subscriber uses, because the transaction had no room for it.
    func misses(_ change: Change) -> Bool {
        guard let states = states(of: change.kind, in: change.className) else { return false }
        let lacksBefore = change.before == nil && change.kind != .created && states.contains(.before)
        return lacksBefore || change.after == nil && change.kind != .deleted && states.contains(.after)
    }
}
