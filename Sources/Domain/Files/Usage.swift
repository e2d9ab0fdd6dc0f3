extension Int64 {
    /// The sum, or the largest number: sizes can come from records of another system, which wrote any number.
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? other > 0 ? .max : .min : sum
    }
}

/// The storage that the files and uploads of an app use, counted in the transactions that change it.
package struct Usage: Sendable, Hashable {
    /// The bytes of internal files.
    package var bytes: Int64 = 0
    /// The number of internal files.
    package var files: Int64 = 0
    /// The bytes that unfinished uploads announced, or received without an announcement.
    package var announced: Int64 = 0
    /// The number of unfinished uploads.
    package var uploads: Int64 = 0
    /// The bytes of files in the trash.
    package var trashBytes: Int64 = 0
    /// The number of files in the trash that have bytes.
    package var trashFiles: Int64 = 0

    /// Creates a usage of zero.
    package init() {}

    /// The id of the object that stores it.
    package static let id = ObjectID(uncheckedHex: "usage")

    /// The usage of one file of a size in bytes.
    static func file(_ size: Int64) -> Usage {
        var usage = Usage()
        usage.bytes = size
        usage.files = 1
        return usage
    }

    /// The usage of one unfinished upload that counts with a size in bytes.
    static func upload(_ size: Int64) -> Usage {
        var usage = Usage()
        usage.announced = size
        usage.uploads = 1
        return usage
    }

    /// The usage of one file in the trash of a size in bytes.
    static func trashed(_ size: Int64) -> Usage {
        var usage = Usage()
        usage.trashBytes = size
        usage.trashFiles = 1
        return usage
    }

    /// The sum of two usages.
    package static func + (left: Usage, right: Usage) -> Usage { left.joined(right) { $0.addingClamped($1) } }

    static func - (left: Usage, right: Usage) -> Usage { left.joined(right, -) }

    /// Throws ``ServiceError/Code/quotaExceeded`` if the usage exceeds a quota; `nil` means no quota.
    ///
    /// Bytes in the trash count, because they use the disk.
    func requireWithin(_ quota: Int64?) throws {
        guard let quota, bytes.addingClamped(announced).addingClamped(trashBytes) > quota else { return }
        let trash = trashBytes > 0 ? ", \(trashBytes) of them in the trash" : ""
        throw ServiceError(
            .quotaExceeded,
            "The app's files would take more than \(quota) bytes\(trash), the limit (uploads.quota).",
            limit: "uploads.quota"
        )
    }

    private func joined(_ other: Usage, _ join: (Int64, Int64) -> Int64) -> Usage {
        var result = Usage()
        for field in Usage.fields.values {
            result[keyPath: field] = max(0, join(self[keyPath: field], other[keyPath: field]))
        }
        return result
    }

    /// The fields of the object that stores it, by name.
    package static var fields: [String: WritableKeyPath<Usage, Int64>] {
        [
            "bytes": \.bytes, "files": \.files, "announced": \.announced, "uploads": \.uploads,
            "trashBytes": \.trashBytes, "trashFiles": \.trashFiles,
        ]
    }
}

extension ReadTransaction {
    /// The usage of the app's files.
    package func usage() throws -> Usage {
        var usage = Usage()
        guard let object = try object(Usage.id, in: .usage) else { return usage }
        for (name, field) in Usage.fields { usage[keyPath: field] = object.fields[name]?.integerValue ?? 0 }
        return usage
    }
}

extension WriteTransaction {
    /// Replaces the stored usage of the app's files.
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

    /// Stores a usage in the place of a row that is not read: it can be damaged.
    func replaceUsage(with usage: Usage, at now: Timestamp) throws {
        try delete([Usage.id], in: .usage)
        try save(usage, at: now)
    }
}
