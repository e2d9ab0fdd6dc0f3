/// The statements of a connection that wait for its next exchange, in their order.
struct WaitingStatements {
    struct Statement {
        let text: String
        /// The arguments; `nil` for a statement that is not prepared.
        var values: [[UInt8]?]?
        /// Whether its failure is a ``PostgresConnection/DeferredFailure``.
        var isDeferred = false
        let onResult: ((PostgresResult) throws -> Void)?
    }

    private var statements: [Statement] = []
    /// The size of their arguments in bytes.
    private var size = 0

    /// The size of arguments in bytes from which they should not wait any longer.
    private static let maxSize = 1 << 20

    /// Whether many bytes wait.
    var isLarge: Bool { size > WaitingStatements.maxSize }

    /// Adds a statement without arguments; one whose result is read is the same in many transactions, and is prepared.
    mutating func add(_ text: String, _ onResult: ((PostgresResult) throws -> Void)?) {
        statements.append(Statement(text: text, values: onResult == nil ? nil : [], onResult: onResult))
    }

    /// Adds a statement with arguments of which nothing is read.
    mutating func add(deferred statement: SQL) {
        let (text, values) = statement.built
        statements.append(Statement(text: text, values: values, isDeferred: true, onResult: nil))
        size += values.reduce(0) { $0 + ($1?.count ?? 0) }
    }

    /// Removes the last statement if it has this text and no arguments; returns whether it did.
    mutating func removeLast(_ text: String) -> Bool {
        guard let last = statements.last, last.text == text, !last.isDeferred else { return false }
        statements.removeLast()
        return true
    }

    /// All of them; afterwards none waits.
    mutating func take() -> [Statement] {
        defer { self = WaitingStatements() }
        return statements
    }
}

extension PostgresConnection {
    /// A deferred statement has failed in the exchange of a later one.
    struct DeferredFailure: Error {
        let cause: any Error
    }
}
