/// The position of a file in the order of creation, in which bulk runs examine files; later files have greater strings.
struct FilePosition: Comparable, CustomStringConvertible {
    let description: String

    /// The position of a file.
    init(of record: StoredObject) {
        description = FilePosition.time(record.createdAt) + record.id.description
    }

    /// A position that was stored.
    init(stored text: String) {
        description = text
    }

    /// The position before all files that were created in the same millisecond as the file here.
    var beginning: FilePosition { FilePosition(stored: String(description.prefix(16))) }

    /// The condition for the files after the position.
    var isBefore: Condition {
        let (created, id) = (FieldPath(field: "createdAt"), FieldPath(field: "objectId"))
        let time = JSONValue.date(Timestamp(milliseconds: Int64(description.prefix(15)) ?? 0))
        return .all([
            .field(created, .compares(.greaterOrEqual, time)),
            .any([
                .field(created, .compares(.greater, time)),
                .field(id, .compares(.greater, .string(String(description.dropFirst(16))))),
            ]),
        ])
    }

    /// The order of creation; files of one millisecond by their ids.
    static let order = [SortKey(FieldPath(field: "createdAt")), SortKey(FieldPath(field: "objectId"))]

    static func < (left: FilePosition, right: FilePosition) -> Bool {
        left.description < right.description
    }

    private static func time(_ moment: Timestamp) -> String {
        let digits = String(max(0, moment.milliseconds))
        return String(repeating: "0", count: max(0, 15 - digits.count)) + digits + ":"
    }
}
