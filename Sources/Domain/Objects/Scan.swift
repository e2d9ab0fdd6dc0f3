/// The parameters and the position of a scan of a class (protocol/data 4.6).
package struct Scan: Sendable {
    /// The condition that objects must match.
    package let condition: Condition
    /// The sort key.
    package let key: SortKey
    /// The page, with the number of objects.
    package let page: Page
    /// The position of the last returned object; `nil` at the beginning.
    private let last: Position?

    private struct Position: Equatable {
        let value: JSONValue
        let id: JSONValue
    }

    /// Creates a scan from the parameters of a request.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for a cursor that does not belong to this class and key.
    package init(of name: ClassName, where condition: Condition, key: SortKey, page: Page, cursor: String?) throws {
        self.condition = condition
        self.key = key
        self.page = page
        last = try cursor.map { try Scan.position(in: $0, of: name, key) }
    }

    private static let id = FieldPath(field: "objectId")

    /// The maximum size of what a cursor encodes, in two characters for each byte: it must fit into the head of a request.
    private static let maxPosition = 16 << 10

    /// The sort keys: objects with equal values are sorted by id, so that a page can end between them.
    var order: [SortKey] {
        [key, SortKey(Scan.id, descending: key.isDescending)]
    }

    /// The condition for the objects after the cursor; objects without the field come first, or last in descending
    /// order.
    var conditionOnPage: Condition {
        guard let last else { return condition }
        let (after, from): (Condition.Comparison, Condition.Comparison) =
            key.isDescending ? (.less, .lessOrEqual) : (.greater, .greaterOrEqual)
        let hasNoValue = Condition.field(key.path, .equals(.null))
        let idIsBehind = Condition.field(Scan.id, .compares(after, last.id))
        let isBehind: Condition
        if last.value == .null {
            let next = Condition.all([hasNoValue, idIsBehind])
            isBehind = key.isDescending ? next : .any([next, .not(hasNoValue)])
        } else {
            let next = Condition.all([
                .field(key.path, .compares(from, last.value)),
                .any([.field(key.path, .compares(after, last.value)), idIsBehind]),
            ])
            isBehind = key.isDescending ? .any([next, hasNoValue]) : next
        }
        return .all([condition, isBehind])
    }

    /// The cursor for the page after an object.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if the object's value of the key is too long, or if the page before
    ///   ended at the same place.
    func cursor(after object: StoredObject, in name: ClassName) throws -> String {
        let position = Position(
            value: object.value(of: key.path.field) ?? .null,
            id: .string(object.id.description)
        )
        // The database compares a time as it is stored, and a damaged one is read as another (`Timestamp.range`): the
        // page after it would begin with it for ever.
        guard position != last else {
            throw ServiceError(
                .badRequest,
                "The database does not find what follows \(object.id), because its field '\(key.path)' is damaged; use "
                    + "another scan_key."
            )
        }
        let parts: [JSONValue] = [
            .string(name.description), .string(key.path.description), position.value, position.id,
        ]
        let text = JSONValue.array(parts).encoded()
        guard text.count <= Scan.maxPosition else {
            throw ServiceError(
                .badRequest,
                "The field '\(key.path)' of \(object.id) is too long for a cursor, which has at most "
                    + "\(Scan.maxPosition) bytes; use another scan_key."
            )
        }
        return text.hexadecimal
    }

    private static func position(in cursor: String, of name: ClassName, _ key: SortKey) throws -> Position {
        guard let text = [UInt8](hexadecimal: cursor),
            case .array(let parts)? = try? JSONValue(parsing: text, field: "cursor"), parts.count == 4,
            parts[0] == .string(name.description), parts[1] == .string(key.path.description)
        else { throw ServiceError(.badRequest, "cursor must come from a scan of this class with this scan_key.") }
        return Position(value: parts[2], id: parts[3])
    }
}
