/// What the files of an app take, counted in the transactions that change it.
package struct Usage: Sendable, Hashable {
    /// Bytes of internal files.
    package var bytes: Int64 = 0
    /// How many internal files there are.
    package var files: Int64 = 0
    /// Bytes that unfinished uploads announced, or received without an announcement.
    package var announced: Int64 = 0
    /// How many unfinished uploads there are.
    package var uploads: Int64 = 0

    /// Nothing.
    package init() {}

    /// The id of the one object that holds it.
    package static let id = ObjectID(uncheckedHex: "usage")

    /// A file of a size.
    static func file(_ size: Int64) -> Usage {
        var usage = Usage()
        usage.bytes = size
        usage.files = 1
        return usage
    }

    /// An unfinished upload that counts with so many bytes.
    static func upload(_ size: Int64) -> Usage {
        var usage = Usage()
        usage.announced = size
        usage.uploads = 1
        return usage
    }

    static func + (left: Usage, right: Usage) -> Usage { left.joined(right, +) }

    static func - (left: Usage, right: Usage) -> Usage { left.joined(right, -) }

    /// Throws ``ServiceError/Code/quotaExceeded`` if there is a quota and this is beyond it.
    func requireWithin(_ quota: Int64?) throws {
        guard let quota, bytes + announced > quota else { return }
        throw ServiceError(
            .quotaExceeded,
            "The app's files would take more than \(quota) bytes, the limit (uploads.quota)."
        )
    }

    private func joined(_ other: Usage, _ join: (Int64, Int64) -> Int64) -> Usage {
        var result = Usage()
        for field in Usage.fields.values {
            result[keyPath: field] = max(0, join(self[keyPath: field], other[keyPath: field]))
        }
        return result
    }

    fileprivate static var fields: [String: WritableKeyPath<Usage, Int64>] {
        ["bytes": \.bytes, "files": \.files, "announced": \.announced, "uploads": \.uploads]
    }
}

extension ReadTransaction {
    /// What the app's files take.
    package func usage() throws -> Usage {
        var usage = Usage()
        guard let object = try object(Usage.id, in: .usage) else { return usage }
        for (name, field) in Usage.fields { usage[keyPath: field] = object.fields[name]?.integerValue ?? 0 }
        return usage
    }
}

extension WriteTransaction {
    /// Replaces what is known of the app's files.
    func save(_ usage: Usage, at now: Timestamp) throws {
        let fields = Usage.fields.mapValues { JSONValue.integer(usage[keyPath: $0]) }
        if var object = try object(Usage.id, in: .usage) {
            object.fields = fields
            object.updatedAt = now
            try update(object, in: .usage)
        } else {
            try insert(StoredObject(id: Usage.id, createdAt: now, updatedAt: now, fields: fields), into: .usage)
        }
    }
}
