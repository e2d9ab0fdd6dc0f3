internal import GRDB
internal import Synchronization

/// The texts of queries whose statements are kept compiled, up to a bound.
///
/// A statement's text follows from the fields and operators of a query, so clients decide how many there are, and GRDB
/// keeps every statement it was asked to keep. When the bound is reached all of them are let go, and those in use come
/// back by themselves.
final class StatementShapes: Sendable {
    private static let bound = 1000
    /// Longer texts are compiled each time: their statements are large, and such queries slow anyway.
    private static let maxLength = 4096

    private let pool: DatabasePool
    private let texts = Mutex<Set<String>>([])

    init(pool: DatabasePool) {
        self.pool = pool
    }

    /// The statement of a text, compiled or kept.
    func statement(_ text: String, _ db: Database) throws -> Statement {
        guard text.utf8.count <= StatementShapes.maxLength else { return try db.makeStatement(sql: text) }
        let isFull = texts.withLock { texts in
            let isFull = texts.count >= StatementShapes.bound && !texts.contains(text)
            if isFull { texts.removeAll() }
            texts.insert(text)
            return isFull
        }
        // Connections let their statements go once what runs on them has ended.
        if isFull { pool.releaseMemoryEventually() }
        return try db.cachedStatement(sql: text)
    }
}
