internal import Domain
internal import Logging
internal import NIOPosix

/// The usage of the app at a start.
extension AppParts {
    /// Counts the usage anew if its row is damaged: no file could be stored or deleted with it.
    func recoverUsage() async throws {
        do {
            _ = try await store.read { try $0.usage() }
        } catch let failure where StorageFault(failure) == .damaged {
            let counted = try await shared.pools.disk.runIfActive { [database] in try database.countUsage() }
            guard let counted else { throw failure }
            try await store.correctUsage(to: counted)
            shared.logger.critical(
                "The row of the usage was damaged and is counted anew; lcfile check looks for more damage",
                metadata: [
                    "app": "\(app.id)", "files": "\(counted.files)", "bytes": "\(counted.bytes)",
                    "error": "\(failure.logged)",
                ]
            )
        }
    }
}
