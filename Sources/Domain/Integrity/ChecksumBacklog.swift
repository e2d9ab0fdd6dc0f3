package import Logging

/// The rows of an earlier version, which have no checksums yet.
package protocol ChecksumBacklog: Sendable {
    /// Computes the checksums of the next rows that have none, in one transaction; writers wait for it as for another
    /// writer.
    ///
    /// - Parameter limit: The maximum number of rows, at least 1. Fewer are taken if they are large.
    /// - Returns: Whether all rows have checksums now.
    /// - Throws: An error if the database cannot be changed, also while the storage is full.
    func fillChecksums(limit: Int) async throws -> Bool
}

extension ChecksumBacklog {
    /// Computes all checksums, then ends; also ends when the task is cancelled, and goes on at the next start.
    ///
    /// It pauses four times as long as it works, so that it takes a fifth of the writer's time at most.
    ///
    /// - Parameters:
    ///   - app: The app, for the log.
    ///   - logger: Logs a failure, once until it is over.
    package func fillAll(of app: AppID, _ logger: Logger?) async {
        var isFailing = false
        while !Task.isCancelled {
            let began = ContinuousClock.now
            do {
                if try await fillChecksums(limit: 200) { return }
                isFailing = false
                try await Task.sleep(for: max(.milliseconds(10), (.now - began) * 4))
            } catch is CancellationError {
                return
            } catch {
                if !isFailing {
                    logger?.warning(
                        "Checksums of rows cannot be computed; trying again each minute",
                        metadata: ["app": "\(app)", "error": "\(error)"]
                    )
                }
                isFailing = true
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }
}
