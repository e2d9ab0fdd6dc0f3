internal import Domain

/// The commands of one request of a batch: several only for a CQL statement that inserts several rows.
struct BatchRequest {
    let commands: [ObjectCommand]
    /// The class of a CQL statement; `nil` for other requests.
    var statementClass: ClassName?

    var isRead: Bool { commands.allSatisfy(\.isRead) }
}

extension Result where Success == BatchRequest {
    /// The commands, or the error in place of one.
    var commands: [Result<ObjectCommand, any Error>] {
        do {
            return try get().commands.map { .success($0) }
        } catch {
            return [.failure(error)]
        }
    }
}
