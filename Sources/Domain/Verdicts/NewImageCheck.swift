/// Queues the check of a new image, in the transaction that creates its record.
extension WriteTransaction {
    /// Adds the job that checks a new file, and marks its record as pending, if the app censors new images.
    ///
    /// - Parameters:
    ///   - record: The record before it is written.
    ///   - now: The time.
    /// - Returns: The record to write.
    /// - Throws: Errors of the store.
    package func queuedForCheck(_ record: StoredObject, at now: Timestamp) throws -> StoredObject {
        guard CheckedFile.canBeImage(record), try censorSettings().isAutomatic else { return record }
        let record = record.undecided()
        // The record takes the place of a missing file's, whose job, if it has one, would check the same bytes.
        _ = try delete(record.id, in: .censorJob)
        try insert(CensorJob(.check, of: record.id, at: now).object, into: .censorJob)
        return record
    }
}

/// Which files are checked.
package enum CheckedFile {
    /// Whether a file can be an image, as far as its record tells: by the type that was declared, or by the type of its
    /// bytes; a file on another server always, because its bytes are unknown until they are fetched.
    package static func canBeImage(_ record: StoredObject) -> Bool {
        ["mime_type", "_detected"].contains { record.fields[$0]?.stringValue?.hasPrefix(prefix) ?? false }
            || isElsewhere(record)
    }

    /// Whether a file of this server can be an image: the same for its types.
    static func canBeImage(declared: MediaType, detected: MediaType?) -> Bool {
        declared.topLevel == "image" || detected?.topLevel == "image"
    }

    /// Whether the bytes of a file are on another server, which can send any bytes under any name and type.
    ///
    /// A key that is not valid does not count, as for ``FileLocation``.
    static func isElsewhere(_ record: StoredObject) -> Bool {
        record.fileKey == nil && record.fields["url"]?.stringValue != nil
    }

    /// Whether the type that was declared for a file is that of an image.
    static func isDeclaredImage(_ record: StoredObject) -> Bool {
        record.fields["mime_type"]?.stringValue?.hasPrefix(prefix) ?? false
    }

    /// The condition for records that ``canBeImage(_:)`` accepts, for counting and listing.
    ///
    /// It does not hold for a file on another server whose record has a key that is not valid.
    package static var isImage: Condition {
        let types = ["mime_type", "_detected"].map { field in
            Condition.all([
                .field(FieldPath(field: field), .compares(.greaterOrEqual, .string(prefix))),
                .field(FieldPath(field: field), .compares(.less, .string("image0"))),
            ])
        }
        let isElsewhere = Condition.all([
            .field(FieldPath(field: "key"), .exists(false)), .field(FieldPath(field: "url"), .exists(true)),
        ])
        return .any(types + [isElsewhere])
    }

    private static let prefix = "image/"
}
