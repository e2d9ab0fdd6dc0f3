internal import Domain

/// The reads of one body, answered by the cache of rows.
///
/// The first read that the cache cannot answer throws, and so do all that follow. The body then runs again on a snapshot
/// of the database, even if it has caught the error (``ObjectStore``). The rows are from one state: if a commit begins
/// between two of them, the second one counts as not cached. Used by one task.
final class RowCacheTransaction: ReadTransaction {
    /// A read that needs the database.
    private struct NeedsDatabase: Error {}

    private let cache: RowCache
    private let catalog: Catalog
    /// The number of commits before the rows; `nil` before the first row.
    private var commits: Int?
    /// Whether a read needed the database.
    private(set) var isIncomplete = false

    /// - Parameters:
    ///   - cache: The rows.
    ///   - catalog: The classes, from before the first row.
    init(_ cache: RowCache, _ catalog: Catalog) {
        self.cache = cache
        self.catalog = catalog
    }

    let budget: QueryBudget? = nil
    let callerChanges = 0

    func schema(of name: ClassName) -> ClassSchema? { catalog.entries[name]?.schema }

    func schemas() throws -> [ClassSchema] { throw needsDatabase() }

    func row(_ id: ObjectID, in name: ClassName) throws -> ObjectRow? {
        try row(Pointer(name, id))
    }

    func rows(
        _ ids: Set<ObjectID>,
        in name: ClassName,
        readableBy readers: Readers,
        upTo size: Int,
        reading projection: RowProjection?
    ) throws -> [ObjectRow] {
        var found: [ObjectRow] = []
        var remaining = size
        for id in ids {
            let whole = try row(Pointer(name, id))
            guard readers.canRead(stored: whole.acl) else { continue }
            let part = whole.reading(projection)
            remaining -= part.size
            guard remaining >= 0 else { break }
            found.append(part)
        }
        return found
    }

    /// A row that the cache has, of the same state as those before it.
    private func row(_ object: Pointer) throws -> ObjectRow {
        guard !isIncomplete, catalog.entries[object.className] != nil, let (row, commits) = cache.row(object),
            self.commits ?? commits == commits
        else {
            if !isIncomplete { cache.counts.count(isHit: false) }
            throw needsDatabase()
        }
        self.commits = commits
        return row
    }

    /// Whether the body has read rows, and all of them were cached.
    var isHit: Bool { !isIncomplete && commits != nil }

    private func needsDatabase() -> NeedsDatabase {
        isIncomplete = true
        return NeedsDatabase()
    }
}

/// Searches always need the database.
extension RowCacheTransaction {
    func rows(_ query: ObjectQuery) throws -> [ObjectRow] { throw needsDatabase() }

    func texts(_ field: String, of query: ObjectQuery) throws -> [(id: ObjectID, text: String)] {
        throw needsDatabase()
    }

    func count(_ query: ObjectQuery) throws -> Int { throw needsDatabase() }

    func explain(_ query: ObjectQuery, counting: Bool) throws -> QueryExplanation? { throw needsDatabase() }

    func isRelated(_ owner: Pointer, _ key: String, to members: ArraySlice<ObjectID>) throws -> Bool {
        throw needsDatabase()
    }

    func membersOfRelations(among objects: Set<ObjectID>, in name: ClassName) throws -> Set<ObjectID> {
        throw needsDatabase()
    }

    func memberships(_ key: String, of name: ClassName, after last: Membership?, limit: Int) throws -> [Membership] {
        throw needsDatabase()
    }
}
