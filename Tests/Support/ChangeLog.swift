package import Domain
internal import Synchronization

/// A synchronous subscriber that records its events, one line for each change.
///
/// A line is `created <id>`, with ` before <n>`, ` after <n>` and ` by <caller>` if the change has them: the field `n`
/// of the states, `master`, a user's id or `guest`. Missed changes are the line `missed`.
package final class ChangeLog: Sendable {
    private let entries = Mutex<[String]>([])
    private let subscription = Mutex<ChangeSubscription?>(nil)

    /// Subscribes to a store's changes.
    package init(of store: any ObjectStore, _ filters: [ChangeFilter] = [ChangeFilter(nil)]) {
        let subscription = store.changes.subscribe(to: filters) { [self] event in note(event) }
        self.subscription.withLock { $0 = subscription }
    }

    /// The lines that were recorded so far.
    package var lines: [String] { entries.withLock { $0 } }

    /// Ends the subscription.
    package func cancel() {
        subscription.withLock { $0 }?.cancel()
    }

    private func note(_ event: ChangeFeed.Event) {
        entries.withLock { entries in
            switch event {
            case .missed: entries.append("missed")
            case .changes(let changes): entries += changes.map(ChangeLog.line)
            }
        }
    }

    /// The line of a change.
    package static func line(_ change: Change) -> String {
        var fields = ["\(change.kind)", "\(change.id)"]
        func number(_ state: ObjectState?) -> Int64? { try? state?.object().fields["n"]?.integerValue }
        if change.before != nil { fields += ["before", number(change.before).map { "\($0)" } ?? "-"] }
        if change.after != nil { fields += ["after", number(change.after).map { "\($0)" } ?? "-"] }
        if let caller = change.caller {
            fields += ["by", caller.isMaster ? "master" : caller.user?.id.description ?? "guest"]
        }
        return fields.joined(separator: " ")
    }
}
