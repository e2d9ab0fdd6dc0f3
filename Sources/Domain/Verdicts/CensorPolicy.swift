internal import Synchronization

/// Decides from a file's verdict whether its bytes are served; has the app's current settings in memory, so that a
/// download costs no further look-up.
///
/// Thread-safe. It follows the change feed: when the master key's change of a setting is answered, it is in force.
package final class CensorPolicy: Sendable {
    private struct State {
        var settings: CensorSettings
        /// The number of changes that were heard, so that what was read before one does not replace it.
        var changes = 0
    }

    private let current: Mutex<State>
    private let missed = WakeSignal()

    /// Creates a policy with settings, until ``follow(_:)`` has read the stored ones.
    package init(_ settings: CensorSettings = CensorSettings()) {
        current = Mutex(State(settings: settings))
    }

    /// The settings in force.
    package var settings: CensorSettings { current.withLock(\.settings) }

    /// Reads the stored settings and follows their changes; call it once, before the first request.
    package func follow(_ store: any ObjectStore) async throws {
        let filter = ChangeFilter(.censorSettings, [.created, .updated], states: .after)
        store.changes.subscribe(to: [filter]) { [weak self] event in
            guard case .changes(let changes) = event else {
                self?.missed.set()
                return
            }
            guard let fields = try? changes.last?.after?.object().fields else { return }
            self?.take(fields)
        }
        let settings = try await store.read { try $0.censorSettings() }
        current.withLock { $0.settings = settings }
    }

    /// Reads the settings again each time the store lost track of changes, until the task is cancelled.
    package func readMissedChanges(of store: any ObjectStore) async {
        while !Task.isCancelled {
            await missed.wait()
            let changes = current.withLock(\.changes)
            let settings = try? await store.read { try $0.censorSettings() }
            let isRead = current.withLock { state in
                guard let settings, state.changes == changes else { return false }
                state.settings = settings
                return true
            }
            if !isRead, !Task.isCancelled {
                missed.set()
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    private func take(_ fields: [String: JSONValue]) {
        guard let settings = try? CensorSettings().changed(by: fields) else { return }
        current.withLock { state in
            state.settings = settings
            state.changes += 1
        }
    }

    /// Throws ``ServiceError/Code/blocked`` if a file with this verdict is not served.
    package func requireOpen(_ verdict: Verdict?) throws {
        switch verdict {
        case nil, .passed: return
        case .rejected: throw ServiceError(.blocked, "The file is blocked.")
        case .pending, .review:
            guard settings.holds else { return }
            throw ServiceError(.blocked, "The image is served after it has passed its check.")
        }
    }
}
