/// The type of an inbox: `default`, `private`, or a name that the app gives.
package struct InboxType: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    package let description: String

    /// The inbox of the statuses for followers.
    package static let standard = InboxType(known: "default")
    /// The inbox of the statuses that only their author and the recipients can read.
    package static let confidential = InboxType(known: "private")

    private static let maxLength = 64

    private init(known name: String) {
        description = name
    }

    /// Checks a name from a client: `nil`, `null` and an empty string mean `default`.
    ///
    /// - Throws: ``ServiceError/Code/badRequest``.
    package init(_ json: JSONValue?) throws {
        guard let json, json != .null, json != .string("") else {
            self = .standard
            return
        }
        guard let name = json.stringValue, name.utf8.count <= InboxType.maxLength,
            name.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "_-.:".utf8.contains($0) })
        else {
            throw ServiceError(
                .badRequest,
                "inboxType must be 1 to \(InboxType.maxLength) ASCII letters, digits, '_', '-', '.' or ':'."
            )
        }
        description = name
    }

    /// Whether every user can have an inbox of the type, regardless of `people.maxInboxTypes`.
    var isBuiltIn: Bool { self == .standard || self == .confidential }
}

/// An inbox: its owner and its type.
///
/// Its statuses are numbered from 1 in the order of their delivery.
struct InboxID: Hashable, Sendable {
    let owner: ObjectID
    let type: InboxType

    /// The name of the inbox in its row.
    var box: String { "\(owner)/\(type)" }

    /// The place of a status: one indexed string, so that a page of an inbox is a range of the index.
    func place(of number: Int64) -> String {
        let digits = String(max(0, number))
        return "\(box)/\(String(repeating: "0", count: max(0, InboxID.digits - digits.count)))\(digits)"
    }

    /// The condition for the statuses after one number and up to another one; `nil` for no upper bound.
    func items(after first: Int64, through last: Int64? = nil) -> Condition {
        .all([
            .field(InboxItem.place, .compares(.greater, .string(place(of: first)))),
            .field(InboxItem.place, .compares(.lessOrEqual, .string(last.map(place) ?? "\(box)/:"))),
        ])
    }

    /// The number of digits of a number in a place.
    private static let digits = 15
}

/// A status in an inbox, as stored in class `_InboxItem`.
struct InboxItem: Sendable {
    static let place = FieldPath(field: "place")
    /// The status and the owner of the inbox: a status is once in each inbox.
    static let delivery = FieldPath(field: "delivery")

    let id: ObjectID
    let number: Int64
    let status: ObjectID

    /// Reads a row; `nil` for one that only another program can have written.
    init?(_ object: StoredObject) {
        guard let place = object.fields["place"]?.stringValue?.split(separator: "/").last, let number = Int64(place),
            let delivery = object.fields["delivery"]?.stringValue?.split(separator: "/").first,
            let status = ObjectID(String(delivery))
        else { return nil }
        id = object.id
        self.number = number
        self.status = status
    }

    /// The value of ``delivery``.
    static func delivery(of status: ObjectID, to owner: ObjectID) -> String { "\(status)/\(owner)" }
}

extension Condition {
    /// The condition for strings that begin with a text and a slash.
    static func begins(_ path: FieldPath, with text: String) -> Condition {
        .all([
            .field(path, .compares(.greater, .string("\(text)/"))),
            // The character after the slash.
            .field(path, .compares(.less, .string("\(text)0"))),
        ])
    }
}
