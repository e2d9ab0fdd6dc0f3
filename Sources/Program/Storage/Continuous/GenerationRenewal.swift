internal import Dispatch
internal import Synchronization

/// Begins a generation on a thread of its own, while the one before it takes changes.
final class GenerationRenewal: Sendable {
    private let result = Mutex<Result<GenerationFeed, any Error>?>(nil)
    private let group = DispatchGroup()

    /// Starts.
    ///
    /// - Parameter body: Returns when the generation is whole.
    init(_ body: @escaping @Sendable () throws -> GenerationFeed) {
        DispatchQueue(label: "lcfile.backup.renewal").async(group: group) { [self] in
            let result = Result(catching: body)
            self.result.withLock { $0 = result }
        }
    }

    /// Whether ``wait()`` returns at once.
    var hasEnded: Bool { result.withLock { $0 != nil } }

    /// The generation that began.
    ///
    /// - Throws: The error because of which there is none.
    func wait() throws -> GenerationFeed {
        group.wait()
        guard let result = result.withLock(\.self) else {
            throw ExitError.storage("the renewal of the continuous backup has no result")
        }
        return try result.get()
    }
}
