internal import Domain

/// Tests of points, and the order of rows.
extension ConditionSQL {
    /// The SQL for a point in a ring: its coordinates are compared before its distance is computed.
    func near(_ circle: Condition.Circle, _ path: FieldPath) -> SQL {
        let latitude = KeySQL.latitude(path, in: schema)
        let center = circle.center
        let distance = distance(path, from: center)
        var terms: SQL = "\(sql: latitude) IS NOT NULL"
        if let maximum = circle.maximum {
            let belt = center.latitudes(within: maximum)
            terms = """
                \(sql: latitude) BETWEEN \(belt.lowest) AND \(belt.highest) \
                AND \(distance) <= \(maximum)
                """
        }
        if let minimum = circle.minimum { terms = "\(terms) AND \(distance) >= \(minimum)" }
        return "(\(terms))"
    }

    /// The SQL for a point in a box.
    func within(_ box: Condition.Box, _ path: FieldPath) -> SQL {
        let latitude = KeySQL.latitude(path, in: schema)
        let longitude = KeySQL.longitude(path, in: schema)
        let (southWest, northEast) = (box.southWest, box.northEast)
        return """
            (\(sql: latitude) BETWEEN \(southWest.latitude) AND \(northEast.latitude) \
            AND \(sql: longitude) BETWEEN \(southWest.longitude) AND \(northEast.longitude))
            """
    }

    /// The angle between the point of a row and another one: the operations of `GeoPoint.distance(to:)`, in their order.
    ///
    /// Subqueries, so that the coordinates are read from the document once. `OFFSET 0` keeps PostgreSQL from writing their
    /// expressions out wherever their names are.
    func distance(_ path: FieldPath, from center: GeoPoint) -> SQL {
        let center = center.rounded
        let least = "\(GeoPoint.leastDegrees)"
        return """
            (SELECT 2 * asin(least(1::float8, sqrt(north * north + cos(latitude * pi() / 180) \
            * cos(\(center.latitude) * pi() / 180) * east * east))) FROM (\
            SELECT latitude, sin((\(center.latitude) - latitude) * pi() / 360) AS north, \
            sin((\(center.longitude) - longitude) * pi() / 360) AS east FROM (\
            SELECT CASE WHEN abs(latitude) < \(sql: least) THEN 0 ELSE latitude END AS latitude, \
            CASE WHEN abs(longitude) < \(sql: least) THEN 0 ELSE longitude END AS longitude FROM (\
            SELECT \(sql: KeySQL.latitude(path, in: schema)) AS latitude, \
            \(sql: KeySQL.longitude(path, in: schema)) AS longitude \
            OFFSET 0) AS stored OFFSET 0) AS rounded OFFSET 0) AS sides)
            """
    }

    /// The order of a query; it is always total, so that pages neither repeat nor omit objects.
    func order(_ query: ObjectQuery) -> SQL {
        if query.order.isEmpty, let (path, circle) = query.condition.circle, schema.type(of: path.field) != nil {
            return "\(distance(path, from: circle.center)) NULLS FIRST, number"
        }
        var terms: [SQL] = []
        for key in query.order where schema.type(of: key.path.field) != nil {
            let direction = key.isDescending ? " DESC" : ""
            // Columns of built-in fields are never null, and their indexes have PostgreSQL's own order.
            let nulls = KeySQL.column(key.path) != nil ? "" : key.isDescending ? " NULLS LAST" : " NULLS FIRST"
            terms += expressions(of: key.path).map { SQL(text: $0 + direction + nulls) }
        }
        // The row number has the last key's direction, so that an index can be read forwards or backwards.
        terms.append(query.order.last?.isDescending == true ? "number DESC" : "number")
        return SQL(terms, separator: ", ")
    }

    /// The expressions by which rows are ordered: for a field with an index, first the one that the index contains.
    private func expressions(of path: FieldPath) -> [String] {
        if let column = KeySQL.column(path) { return [column] }
        guard !path.isNested, let type = schema.type(of: path.field), type.isScalar else {
            return [KeySQL.order(path)]
        }
        let key = KeySQL.key(path, in: schema)
        guard schema.indexes.contains(where: { $0.fields.contains(path) }) else { return [key] }
        // Keys of these types are always shorter than the beginning.
        let isShort = [.number, .boolean, .date].contains(type)
        return isShort ? [KeySQL.beginning(key)] : [KeySQL.beginning(key), key]
    }
}
