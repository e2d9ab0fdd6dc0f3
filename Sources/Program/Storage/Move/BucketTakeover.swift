/// Whether a move can fill a bucket, by the ids in the bucket's object.
///
/// While a bucket is incomplete or no longer in use, its ids have a prefix that no start accepts (``BlobPlacement``): the
/// bucket is *retired*. The bytes in it count for the move that has the same ids.
package enum BucketTakeover: Sendable, Equatable {
    /// The bucket is taken; it gets these ids in the end.
    case take([String])
    /// The bucket is in use with these ids: the move was done before.
    case done
    /// The move ends.
    case refuse(BlobPlacement.Refusal)

    private static let prefix = "moving-"

    /// The ids of a retired bucket.
    package static func retired(_ ids: [String]) -> [String] { ids.map { prefix + $0 } }

    /// The ids without prefixes, and whether the bucket is retired.
    package static func current(_ found: [String]) -> (ids: [String], isRetired: Bool) {
        let isRetired = found.allSatisfy { $0.hasPrefix(prefix) }
        return (isRetired ? found.map { String($0.dropFirst(prefix.count)) } : found, isRetired)
    }

    /// Decides for the blobs of a folder.
    ///
    /// - Parameters:
    ///   - found: The ids in the bucket; `nil` if it has none.
    ///   - hasObjects: Whether it has other objects of the app; examined without ids.
    ///   - schema: The id of the schema in PostgreSQL; `nil` with SQLite.
    ///   - prepared: The id in the marker that an earlier run prepared.
    ///   - new: The id if there is no other.
    /// - Returns: The decision; one id.
    package static func ofFolder(
        found: [String]?,
        hasObjects: Bool,
        schema: String?,
        prepared: String?,
        new: String
    ) -> BucketTakeover {
        let id = schema ?? prepared ?? new
        guard let found else { return hasObjects ? .refuse(.bucketWithoutOwner) : .take([id]) }
        let (ids, isRetired) = current(found)
        // The objects can have moved to PostgreSQL since the bucket got the prepared id.
        let own = Set([id, prepared].compactMap(\.self))
        if isRetired, own.isSuperset(of: ids) { return .take([id]) }
        // The last run was cut off between the bucket and the marker.
        if let prepared, found == [prepared] { return .take([id]) }
        return .refuse(.bucketOfOtherStorage)
    }

    /// Decides for the blobs of another bucket.
    ///
    /// - Parameters:
    ///   - found: The ids in the bucket; `nil` if it has none.
    ///   - hasObjects: Whether it has other objects of the app; examined without ids.
    ///   - source: The ids in the other bucket.
    /// - Returns: The decision; the ids of the other bucket.
    package static func ofBucket(found: [String]?, hasObjects: Bool, source: [String]) -> BucketTakeover {
        let (ids, isRetired) = current(source)
        guard let found else { return hasObjects ? .refuse(.bucketWithoutOwner) : .take(ids) }
        if isRetired, Set(found) == Set(ids) { return .done }
        // The other bucket can have got an id since: the objects have moved to PostgreSQL.
        return Set(found).isSubset(of: retired(ids)) ? .take(ids) : .refuse(.bucketOfOtherStorage)
    }
}
