/// The names of the statements that a connection has prepared.
struct PreparedStatements {
    /// How a statement is sent.
    enum Use {
        /// With its text, which the server parses each time.
        case parsed
        /// By the name under which it is prepared.
        case prepared(String)
        /// With its text, to be prepared under the name.
        case new(String)
    }

    private var names: [StatementText: String] = [:]
    /// Those that the current exchange prepares.
    ///
    /// If a preparation fails, the statements behind it do not run.
    private var preparing: [StatementText: String] = [:]
    private var count = 0
    /// The size in bytes of those in ``names``.
    private var size = 0

    /// The number of statements after which all of them are released.
    private static let maxCount = 500
    /// Their size in bytes after which all of them are released: PostgreSQL needs some forty times as much memory.
    private static let maxSize = 256 << 10
    /// The size in bytes above which a statement is parsed each time.
    private static let maxLength = 8192

    /// Whether all of them should be released.
    var isFull: Bool { names.count >= PreparedStatements.maxCount || size >= PreparedStatements.maxSize }

    /// Forgets what the last exchange prepared, but for what ``add(_:_:)`` added.
    mutating func beginExchange() {
        preparing = [:]
    }

    /// How a statement of the current exchange is sent.
    mutating func use(of text: String) -> Use {
        guard text.utf8.count <= PreparedStatements.maxLength else { return .parsed }
        let key = StatementText(text: text)
        if let name = names[key] ?? preparing[key] { return .prepared(name) }
        count += 1
        let name = "s\(count)"
        preparing[key] = name
        return .new(name)
    }

    /// Adds a statement whose preparation succeeded.
    mutating func add(_ text: String, _ name: String) {
        names[StatementText(text: text)] = name
        size += text.utf8.count
    }

    /// Forgets all of them, because the server releases them.
    mutating func removeAll() {
        names = [:]
        size = 0
    }
}

/// The text of a statement as a key, compared by its bytes.
///
/// `String` treats `é` as one character and as two as equal, but in a path they are two names.
private struct StatementText: Hashable {
    let text: String

    static func == (left: StatementText, right: StatementText) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }
}
