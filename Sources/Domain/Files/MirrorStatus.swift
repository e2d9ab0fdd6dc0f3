/// How many files of an app are still on the origin of the mirror only.
package struct MirrorStatus: Sendable, Hashable {
    /// Records whose bytes are missing.
    package var missing = 0
    /// The sizes of these files in bytes, as far as their imports gave them.
    package var missingBytes: Int64 = 0
    /// Files whose bytes the mirror fetched.
    package var mirrored = 0
    /// Among them those without an imported record.
    package var created = 0
    /// Fetches that failed since the server started, without those of keys that the origin does not have.
    package var failed = 0

    /// Creates a status of zero.
    package init() {}
}

extension FileRecords {
    /// Counts the files by the part that the mirror has in them; takes time in proportion to the app's files.
    func mirrorStatus() async throws -> MirrorStatus {
        var status = try await store.read { reader in
            var status = MirrorStatus()
            status.created = try reader.count(MirrorState.created.condition, in: .file)
            status.mirrored = try reader.count(MirrorState.filled.condition, in: .file) + status.created
            return status
        }
        // In pages, so that no transaction lasts long and memory does not grow with the files.
        var last: ObjectID?
        while true {
            let page = try await store.read { [last] reader in
                let isLater = last.map {
                    Condition.field(FieldPath(field: "objectId"), .compares(.greater, .string($0.description)))
                }
                return try reader.find(
                    ObjectQuery(
                        .file,
                        where: .all([MirrorState.missing.condition] + (isLater.map { [$0] } ?? [])),
                        order: [SortKey(FieldPath(field: "objectId"))],
                        page: Page(first: 1000)
                    )
                ).map { ($0.id, MissingFile($0)?.size ?? 0) }
            }
            guard let end = page.last else { return status }
            last = end.0
            status.missing += page.count
            status.missingBytes = page.reduce(status.missingBytes) { $0.addingClamped(max(0, $1.1)) }
        }
    }
}

extension MirrorState {
    /// The condition for records in this state.
    fileprivate var condition: Condition {
        .field(FieldPath(field: MirrorField.name), .equals(.string(rawValue)))
    }
}
