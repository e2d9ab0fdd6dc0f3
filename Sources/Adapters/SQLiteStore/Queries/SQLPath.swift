internal import Domain

/// The SQL expressions for the paths of an object in a class's table.
///
/// A query uses an index only if both contain the same expression, so every expression is created here.
enum SQLPath {
    /// The value as SQL extracts it from the document: numbers, strings, booleans as 0 and 1, all others as JSON.
    static func value(_ path: FieldPath) -> String {
        column(path) ?? "json_extract(body, '\(jsonPath(path))')"
    }

    /// The name of the value's JSON type; NULL if there is no value.
    static func type(_ path: FieldPath) -> String {
        "json_type(body, '\(jsonPath(path))')"
    }

    /// One row for each element of an array, or one row for a value that is not an array.
    static func elements(_ path: FieldPath) -> String {
        "json_each(body, '\(jsonPath(path))')"
    }

    /// The number of an array's elements; 0 for a value that is not an array.
    static func length(_ path: FieldPath) -> String {
        "json_array_length(body, '\(jsonPath(path))')"
    }

    /// A field of any type as JSON text.
    static func json(_ field: String) -> String {
        json(FieldPath(field: field))
    }

    /// The value at a path as JSON text.
    static func json(_ path: FieldPath) -> String {
        "body -> '\(jsonPath(path))'"
    }

    /// Whether an object has a string with U+0000, or one that looks so in JSON.
    static let bodyHasZeros = #"instr(body, '\u0000')"#

    /// What distinguishes values with U+0000 that have the same ``value(_:)``: their JSON text; empty for all others.
    static func zeros(_ path: FieldPath) -> String {
        guard column(path) == nil else { return "''" }
        return #"iif(\#(bodyHasZeros) AND instr(\#(json(path)), '\u0000'), \#(json(path)), '')"#
    }

    static func latitude(_ path: FieldPath) -> String {
        "json_extract(body, '\(jsonPath(path)).latitude')"
    }

    static func longitude(_ path: FieldPath) -> String {
        "json_extract(body, '\(jsonPath(path)).longitude')"
    }

    /// The indexed expression of a path: for points the latitude, which narrows a search to a belt.
    static func indexed(_ path: FieldPath, in schema: ClassSchema) -> String {
        schema.type(of: path.field) == .geoPoint && !path.isNested ? latitude(path) : value(path)
    }

    /// Whether all names can be part of an SQLite path, which has no escapes.
    ///
    /// Compares bytes: a quote that a combining mark follows is another character for Swift, but a quote for SQLite.
    static func isWritable(_ path: FieldPath) -> Bool {
        path.segments.allSatisfy { name in
            !name.utf8.contains { quotes.contains($0) } && !name.hasControlCharacters
        }
    }

    private static let quotes = [UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "'")]

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

    private static func jsonPath(_ path: FieldPath) -> String {
        path.segments.reduce("$") { text, name in
            FieldPath.isASCIIFieldName(name) ? "\(text).\(name)" : "\(text).\"\(name)\""
        }
    }
}
