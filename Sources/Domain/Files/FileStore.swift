/// Where one app's file records are kept.
///
/// SQLite implements it; tests have one in memory; both pass one contract suite.
package protocol FileStore: Sendable {
    /// Adds all records or none; on return they survive a power cut.
    ///
    /// Throws if an id or key is taken.
    func insert(_ records: [FileRecord]) async throws

    /// The record with this id, if there is one.
    func file(id: ObjectID) async throws -> FileRecord?

    /// The record with this key, if there is one.
    func file(key: FileKey) async throws -> FileRecord?

    /// Removes the record and returns it, or returns nothing if there was none; on return the removal is durable.
    func delete(id: ObjectID) async throws -> FileRecord?

    /// Records from the newest to the oldest, ties by id; `limit` and `skip` are not negative.
    func newest(limit: Int, skip: Int) async throws -> [FileRecord]

    /// How many records there are.
    func count() async throws -> Int
}
