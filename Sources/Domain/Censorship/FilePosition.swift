/// The position of a file in the order of creation, in which bulk runs examine files; later files have greater strings.
struct FilePosition: Comparable, CustomStringConvertible {
    let description: String

    /// The position of a file.
    init(of record: StoredObject) {
        description = "\(record.createdAt.sortable):\(record.id)"
    }

    /// A position that was stored.
    init(stored text: String) {
        description = text
    }

    /// The position before all files that were created in the same millisecond as the file here.
    var beginning: FilePosition { FilePosition(stored: String(description.prefix(16))) }

    /// The condition for the files after the position.
    var isBefore: Condition {
        .all([
            .field(FilePosition.created, .compares(.greaterOrEqual, time)),
            .any([
                .field(FilePosition.created, .compares(.greater, time)),
                .field(FilePosition.id, .compares(.greater, ownID)),
            ]),
        ])
    }

    /// The condition for the files up to the position.
    var isReached: Condition {
        .all([
            .field(FilePosition.created, .compares(.lessOrEqual, time)),
            .any([
                .field(FilePosition.created, .compares(.less, time)),
                .field(FilePosition.id, .compares(.lessOrEqual, ownID)),
            ]),
        ])
    }

    private var time: JSONValue { .date(Timestamp(milliseconds: Int64(description.prefix(15)) ?? 0)) }
    private var ownID: JSONValue { .string(String(description.dropFirst(16))) }

    private static let created = FieldPath(field: "createdAt")
    private static let id = FieldPath(field: "objectId")

    /// The order of creation; files of one millisecond by their ids.
    static let order = [SortKey(created), SortKey(id)]

    static func < (left: FilePosition, right: FilePosition) -> Bool {
        left.description < right.description
    }
}
