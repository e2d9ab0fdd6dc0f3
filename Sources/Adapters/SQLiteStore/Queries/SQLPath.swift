internal import Domain

/// Where a path of an object stands in a class's table.
///
/// A query finds an index only if both write the same expression, so every expression is made here.
enum SQLPath {
    /// The value as SQL takes it out of the document: numbers, texts, booleans as 0 and 1, and all else as its JSON.
    static func value(_ path: FieldPath) -> String {
        column(path) ?? "json_extract(body, '\(jsonPath(path))')"
    }

    /// The name of the value's JSON type; NULL where there is none.
    static func type(_ path: FieldPath) -> String {
        "json_type(body, '\(jsonPath(path))')"
    }

    /// One row for each element of an array, or one for a value that is none.
    static func elements(_ path: FieldPath) -> String {
        "json_each(body, '\(jsonPath(path))')"
    }

    /// The number of an array's elements; 0 for a value that is none.
    static func length(_ path: FieldPath) -> String {
        "json_array_length(body, '\(jsonPath(path))')"
    }

    /// A field as JSON text, whatever its type.
    static func json(_ field: String) -> String {
        "body -> '$.\(field)'"
    }

    static func latitude(_ path: FieldPath) -> String {
        "json_extract(body, '\(jsonPath(path)).latitude')"
    }

    static func longitude(_ path: FieldPath) -> String {
        "json_extract(body, '\(jsonPath(path)).longitude')"
    }

    /// What an index holds of a path: of points the latitude, which narrows a search to a belt.
    static func indexed(_ path: FieldPath, in schema: ClassSchema) -> String {
        schema.type(of: path.field) == .geoPoint && !path.isNested ? latitude(path) : value(path)
    }

    /// Whether every name can stand in a path of SQLite's, which knows no escapes.
    static func isWritable(_ path: FieldPath) -> Bool {
        path.segments.allSatisfy { name in !name.contains { "\"\\'".contains($0) } && !name.hasControlCharacters }
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

    private static func jsonPath(_ path: FieldPath) -> String {
        path.segments.reduce("$") { text, name in
            FieldPath.isFieldName(name) ? "\(text).\(name)" : "\(text).\"\(name)\""
        }
    }
}
