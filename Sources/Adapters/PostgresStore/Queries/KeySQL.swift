internal import Domain

/// The SQL expressions for the paths of an object in a class's table.
///
/// A query uses an index only if both contain the same expression, so every expression is created here.
enum KeySQL {
    /// The number of characters of a key that an index contains.
    ///
    /// An entry of a B-tree has at most 2704 bytes, a character up to four, and an index up to two fields.
    static let indexedLength = 300

    /// The key at a path, or the column of a built-in field.
    static func key(_ path: FieldPath, in schema: ClassSchema) -> String {
        if let column = column(path) { return column }
        if path.isNested {
            // A value of any type: that of a member with a type, or any other one.
            let whole = document(path, ending: "->> \(ObjectKeys.wholeName.quotedText)")
            return "(coalesce(\(whole), \(text(path))) COLLATE \"C\")"
        }
        let isWhole = schema.type(of: path.field).map { $0.storedKind == .object } ?? false
        let key = isWhole ? document(path, ending: "->> \(ObjectKeys.wholeName.quotedText)") : text(path)
        return "(\(key) COLLATE \"C\")"
    }

    /// The beginning of a key, which an index contains.
    static func beginning(_ key: String) -> String { "left(\(key), \(indexedLength))" }

    /// The stored keys at a path as JSON; NULL if there is no value, and JSON's null for null.
    static func document(_ path: FieldPath, ending: String = "") -> String {
        let names = path.segments.map { " -> \($0.quotedText)" }.joined()
        return ending.isEmpty ? "(keys\(names))" : "(keys\(names) \(ending))"
    }

    private static func text(_ path: FieldPath) -> String {
        let names = path.segments.dropLast().map { " -> \($0.quotedText)" }.joined()
        return "(keys\(names) ->> \((path.segments.last ?? "").quotedText))"
    }

    static func latitude(_ path: FieldPath, in schema: ClassSchema) -> String { coordinate(0, path, in: schema) }

    static func longitude(_ path: FieldPath, in schema: ClassSchema) -> String { coordinate(1, path, in: schema) }

    /// A coordinate of a point; NULL for any other value.
    ///
    /// An object of another type can have a member with the name of the coordinates, whose elements are no numbers.
    private static func coordinate(_ index: Int, _ path: FieldPath, in schema: ClassSchema) -> String {
        let point = "-> \(ObjectKeys.coordinatesName.quotedText)"
        let text = "\(document(path, ending: "\(point) ->> \(index)"))::float8"
        // Indexes contain this expression.
        if isPoint(path, in: schema) { return "(\(text))" }
        return "(CASE jsonb_typeof(\(document(path, ending: "\(point) -> \(index)"))) WHEN 'number' THEN \(text) END)"
    }

    /// Whether all values at a path are points.
    private static func isPoint(_ path: FieldPath, in schema: ClassSchema) -> Bool {
        !path.isNested && schema.type(of: path.field) == .geoPoint
    }

    /// The value at a path for the order of rows: null first, then numbers and booleans as 0 and 1, then all others as
    /// text.
    static func order(_ path: FieldPath) -> String {
        let value = document(path)
        let string = text(path)
        return """
            (CASE jsonb_typeof(\(value)) WHEN 'string' THEN CASE left(\(string), 1) \
            WHEN 'n' THEN \(string) \
            WHEN 'b' THEN CASE \(string) WHEN 'b1' THEN '\(ObjectKeys.key(.integer(1)) ?? "")' \
            ELSE '\(ObjectKeys.key(.integer(0)) ?? "")' END \
            ELSE 't' || substr(\(string), 2) END \
            WHEN 'null' THEN NULL ELSE 't' || \(json(path)) END COLLATE "C")
            """
    }

    /// The JSON text of an array or object at a path.
    ///
    /// PostgreSQL does not read the escape of U+0000. In a text that contains it, both that escape and that of a
    /// backslash are written in forms that the server never writes, and back afterwards.
    private static func json(_ path: FieldPath) -> String {
        func extracted(_ text: String) -> String {
            "(\(path.segments.reduce("(\(text))::json") { "\($0) -> \($1.quotedText)" }))::text"
        }
        let written = #"replace(replace(body, '\\', '\u005c'), '\u0000', '\/u0000')"#
        let back = #"replace(replace(\#(extracted(written)), '\/u0000', '\u0000'), '\u005c', '\\')"#
        return #"(CASE WHEN strpos(body, '\u0000') > 0 THEN \#(back) ELSE \#(extracted("body")) END)"#
    }

    /// The terms of an index on a path.
    ///
    /// For points it is the latitude, which narrows a search to a belt. For a unique index it is the beginning of the
    /// key and a digest of the whole key.
    static func indexed(_ path: FieldPath, in schema: ClassSchema, isUnique: Bool) -> String {
        if let column = column(path) { return column }
        if isPoint(path, in: schema) { return "\(latitude(path, in: schema)) NULLS FIRST" }
        let key = key(path, in: schema)
        return "\(beginning(key)) NULLS FIRST" + (isUnique ? ", md5(\(key))" : "")
    }

    /// The column of a built-in field.
    static func column(_ path: FieldPath) -> String? {
        guard !path.isNested else { return nil }
        switch path.field {
        case "objectId": return "id"
        case "createdAt": return "created_at"
        case "updatedAt": return "updated_at"
        default: return nil
        }
    }
}
