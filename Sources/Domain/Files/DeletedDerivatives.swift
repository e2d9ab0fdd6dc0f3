internal import Synchronization

/// Removes the derivatives on this server of files that any server deletes, for a store that several servers share.
///
/// The worker of another server can remove the bytes of a file, and it does not know the derivatives of this one. If
/// changes are missed, the derivatives stay until others need their space; they are not served any more.
final class DeletedDerivatives: Sendable {
    private let derivatives: any DerivativeStore
    private let keys = Mutex<[FileKey]>([])
    private let signal = WakeSignal()

    /// The maximum number of keys that wait; the derivatives of further files stay.
    private static let maxKeys = 100_000

    /// - Parameters:
    ///   - derivatives: The derivatives of this server.
    ///   - changes: Announces the deletions of all servers.
    init(in derivatives: any DerivativeStore, following changes: ChangeFeed) {
        self.derivatives = derivatives
        changes.subscribe(to: [ChangeFilter(.file, [.deleted], states: .before)]) { [weak self] event in
            guard let self, case .changes(let changes) = event else { return }
            add(changes.compactMap { try? $0.before?.object().fileKey })
        }
    }

    /// Removes the derivatives of the keys that were added, and of later ones, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            for key in takeAll() {
                guard !Task.isCancelled else { return }
                try? await derivatives.forget(allOf: key.description)
            }
            await signal.wait()
        }
    }

    private func add(_ new: [FileKey]) {
        guard !new.isEmpty else { return }
        keys.withLock { keys in keys.append(contentsOf: new.prefix(Self.maxKeys - keys.count)) }
        signal.set()
    }

    private func takeAll() -> [FileKey] {
        keys.withLock { keys in
            defer { keys = [] }
            return keys
        }
    }
}
