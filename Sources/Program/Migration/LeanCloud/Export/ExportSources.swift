internal import FileClient

/// The objects of one class of an export.
struct ExportObjects: ItemSource {
    private var rows: ExportRows

    init(_ export: Export, _ className: String) throws {
        rows = try ExportRows(export) { $0 == .objects(className: className) }
    }

    mutating func next() throws -> SourceElement<ExportedObject>? {
        guard let row = try rows.next() else { return nil }
        do {
            return .item(try ExportedObject(try row.content.get(), at: row.place))
        } catch {
            return .unusable(name: row.place, reason: "\(error)")
        }
    }
}

/// Pointers that one object gets in a relation; at most as many as one operation takes.
struct RelationChunk: MigrationItem {
    /// The maximum number of pointers of an operation.
    static let limit = 1000

    let name: String
    let owner: String
    let related: [String]

    var size: Int64? { Int64(related.count * 25) }
    var objectId: String? { owner }
    var fingerprint: String { related.joined(separator: ",") }
}

/// The pairs of one relation of an export; consecutive pairs with one owner are one item.
struct ExportRelation: ItemSource {
    private var rows: ExportRows
    private var waiting: (owner: String, related: String)?
    private var fault: SourceElement<RelationChunk>?

    init(_ export: Export, _ className: String, _ field: String) throws {
        rows = try ExportRows(export) { $0 == .join(field: field, className: className) }
    }

    mutating func next() throws -> SourceElement<RelationChunk>? {
        if let fault {
            self.fault = nil
            return fault
        }
        var chunk: (owner: String, related: [String])?
        while fault == nil, let pair = try pair() {
            if var open = chunk {
                guard open.owner == pair.owner, open.related.count < RelationChunk.limit else {
                    waiting = pair
                    break
                }
                open.related.append(pair.related)
                chunk = open
            } else {
                chunk = (pair.owner, [pair.related])
            }
        }
        guard let chunk else {
            defer { fault = nil }
            return fault
        }
        // The place of a pair changes with others, and would make it another item.
        let name = "\(chunk.owner) to \(chunk.related[0])"
        return .item(RelationChunk(name: name, owner: chunk.owner, related: chunk.related))
    }

    private mutating func pair() throws -> (owner: String, related: String)? {
        if let waiting {
            self.waiting = nil
            return waiting
        }
        guard let row = try rows.next() else { return nil }
        do {
            let value = try JSON(parsing: try row.content.get())
            guard let owner = ExportRelation.id(value["owningId"]), let related = ExportRelation.id(value["relatedId"])
            else { throw MigrationError("the row has no owningId and relatedId") }
            try NameRules.requireObjectID(owner, as: "owningId")
            try NameRules.requireObjectID(related, as: "relatedId")
            return (owner, related)
        } catch {
            fault = .unusable(name: row.place, reason: "\(error)")
            return nil
        }
    }

    private static func id(_ value: JSON?) -> String? {
        value?.string ?? value?["$oid"]?.string
    }
}

/// Items in memory.
struct ItemList<Item: MigrationItem>: ItemSource {
    private var rest: ArraySlice<Item>

    init(_ items: [Item]) {
        rest = items[...]
    }

    mutating func next() -> SourceElement<Item>? { rest.popFirst().map { .item($0) } }
}
