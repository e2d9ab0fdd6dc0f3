internal import Domain
internal import GRDB

/// Renders the order of a query; it is always total, so that pages neither repeat nor omit objects.
enum OrderSQL {
    static func sql(_ query: ObjectQuery, in entry: Catalog.Entry) throws -> SQL {
        let schema = entry.schema
        if query.order.isEmpty, let (path, circle) = query.condition.circle, schema.type(of: path.field) != nil {
            try requireWritable(path)
            return "\(ConditionSQL.distance(path, from: circle.center)), number"
        }
        var terms: [SQL] = []
        for key in query.order where schema.type(of: key.path.field) != nil {
            try requireWritable(key.path)
            let direction = key.isDescending ? " DESC" : ""
            terms.append("\(sql: SQLPath.value(key.path))\(sql: direction)")
            // Strings that are equal up to U+0000.
            if entry.hasZeros, SQLPath.column(key.path) == nil {
                terms.append("lcfile_bytes(\(sql: SQLPath.json(key.path)))\(sql: direction)")
            }
        }
        // The row number has the last key's direction, so that an index can be read forwards or backwards.
        terms.append(query.order.last?.isDescending == true ? "number DESC" : "number")
        return terms.joined(separator: ", ")
    }

    private static func requireWritable(_ path: FieldPath) throws {
        guard SQLPath.isWritable(path) else {
            throw ServiceError(.invalidKey, "Objects cannot be ordered by '\(path)': it has quotes or backslashes.")
        }
    }
}
