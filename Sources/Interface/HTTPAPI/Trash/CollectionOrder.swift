internal import Domain

/// The body that begins a collection.
enum CollectionOrder {
    /// The maximum number of classes and of fields.
    private static let maxNames = 1000

    /// Parses `{"unusedFor": 2592000, "ignoreClasses": [], "ignoreFields": [], "fields": [], "urls": true}`.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON``; ``ServiceError/Code/badRequest`` naming the wrong member.
    static func parse(_ json: JSONValue) throws -> FileCollection.Order {
        guard let members = json.objectValue else {
            throw ServiceError(.malformedJSON, "The body must be a JSON object.")
        }
        guard let seconds = members["unusedFor"]?.integerValue, (0...315_360_000).contains(seconds) else {
            throw ServiceError(.badRequest, "unusedFor must be a number of seconds, at most 315360000.")
        }
        var rules = ReferenceRules()
        rules.ignoredClasses = Set(try texts("ignoreClasses", in: members).map { try ClassName($0) })
        rules.ignoredFields = Set(try texts("ignoreFields", in: members).map(ReferenceRules.Field.init))
        rules.nameFields = Set(try texts("fields", in: members).map(ReferenceRules.Field.init))
        switch members["urls"] {
        case nil, .null?: break
        case .bool(let flag)?: rules.countsURLs = flag
        default: throw ServiceError(.badRequest, "urls must be true or false.")
        }
        return FileCollection.Order(unusedFor: Int(seconds), rules: rules)
    }

    private static func texts(_ name: String, in members: [String: JSONValue]) throws -> [String] {
        guard let value = members[name], value != .null else { return [] }
        let texts = value.arrayValue?.compactMap(\.stringValue)
        guard let texts, texts.count == value.arrayValue?.count, texts.count <= maxNames else {
            throw ServiceError(.badRequest, "\(name) must be an array of at most \(maxNames) strings.")
        }
        return texts
    }
}
