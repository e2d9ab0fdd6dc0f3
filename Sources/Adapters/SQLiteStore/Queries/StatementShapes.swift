internal import Domain
internal import GRDB
internal import Synchronization

/// Caches the texts of queries whose statements stay compiled, up to a limit.
///
/// A statement's text follows from the fields and operators of a query, so clients determine the number of texts, and
/// GRDB never releases a cached statement by itself. When the limit is reached all of them are released, and those in
/// use are cached again.
final class StatementShapes: Sendable {
    private static let bound = 1000
    /// Longer texts are compiled each time: their statements are large, and such queries are slow anyway.
    private static let maxLength = 4096

    private let pool: DatabasePool
    private let texts = Mutex<Set<String>>([])

    init(pool: DatabasePool) {
        self.pool = pool
    }

    /// The compiled statement of a text, possibly from the cache.
    ///
    /// `String`, with which GRDB compares texts, treats `é` as one character and as two as equal, but an order by one is
    /// not an order by the other. So a text with such characters ends with a comment that has its bytes.
    func statement(_ text: String, _ db: Database) throws -> Statement {
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let text = isASCII ? text : "\(text) -- \(Array(text.utf8).hexadecimal)"
        guard text.utf8.count <= StatementShapes.maxLength else { return try db.makeStatement(sql: text) }
        let isFull = texts.withLock { texts in
            let isFull = texts.count >= StatementShapes.bound && !texts.contains(text)
            if isFull { texts.removeAll() }
            texts.insert(text)
            return isFull
        }
        // Connections release their statements once their current work has ended.
        if isFull { pool.releaseMemoryEventually() }
        return try db.cachedStatement(sql: text)
    }
}
