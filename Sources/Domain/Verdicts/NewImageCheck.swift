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
        var record = record
        record.fields[VerdictField.verdict] = .string(Verdict.pending.rawValue)
        record.fields[VerdictField.decision] = nil
        // The record takes the place of a missing file's, whose job, if it has one, would check the same bytes.
        _ = try delete(record.id, in: .censorJob)
        try insert(CensorJob(.check, of: record.id, at: now).object, into: .censorJob)
        return record
    }
}

/// Which files are checked.
package enum CheckedFile {
    /// Whether a file is an image as far as its record tells: by the type that was declared, by the type of its bytes,
    /// or, for a file on another server without a type, by the extension of its URL.
    package static func canBeImage(_ record: StoredObject) -> Bool {
        let types = ["mime_type", "_detected"].compactMap { record.fields[$0]?.stringValue }
        if types.contains(where: { $0.hasPrefix("image/") }) { return true }
        guard types.isEmpty, let url = record.fields["url"]?.stringValue else { return false }
        let path = url.prefix { $0 != "?" && $0 != "#" }.lowercased()
        return extensions.contains { path.hasSuffix($0) }
    }

    private static let extensions = [
        ".jpg", ".jpeg", ".png", ".gif", ".webp", ".bmp", ".heic", ".heif", ".avif", ".tif", ".tiff", ".jxl", ".jp2",
    ]

    /// The condition for records that ``canBeImage(_:)`` may accept, for counting and listing.
    package static var isImage: Condition {
        let prefix = "image/"
        return .any(
            ["mime_type", "_detected"].map { field in
                .all([
                    .field(FieldPath(field: field), .compares(.greaterOrEqual, .string(prefix))),
                    .field(FieldPath(field: field), .compares(.less, .string("image0"))),
                ])
            }
        )
    }
}
