internal import Domain

/// Queries with Domain's own matching.
extension MemoryTransaction {
    func found(_ query: ObjectQuery) throws -> [ObjectRow] {
        let page = try ordered(try matching(query), as: query).dropFirst(query.page.skip).prefix(query.page.limit)
        let rows = page.map { ObjectRow($0).reading(query.projection) }
        let fitting = fitting(rows, in: query.replySize)
        return fitting.isEmpty ? Array(rows.prefix(1)) : fitting
    }

    func matching(_ query: ObjectQuery) throws -> [StoredObject] {
        let name = query.className
        return try objects(of: name).filter { object in
            try query.readers.canRead(object.acl)
                && query.condition.matches(object, within: budget) { owner, key, members in
                    holds(owner ?? Pointer(name, object.id), key, (members ?? [object.id])[...])
                }
        }
    }

    private func ordered(_ found: [StoredObject], as query: ObjectQuery) throws -> [StoredObject] {
        if query.order.isEmpty, let (path, circle) = query.condition.circle {
            let distances = found.map { object in
                GeoPoint(stored: value(of: object, at: path) ?? .null)?.distance(to: circle.center) ?? .infinity
            }
            return zip(found, distances).enumerated()
                .sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }.map(\.element.0)
        }
        guard let last = query.order.last else { return found }
        return (last.isDescending ? found.reversed() : found).enumerated().sorted { left, right in
            for key in query.order {
                let order = JSONValue.order(
                    value(of: left.element, at: key.path),
                    value(of: right.element, at: key.path)
                )
                if order != 0 { return (order < 0) != key.isDescending }
            }
            return left.offset < right.offset
        }.map(\.element)
    }

    func value(of object: StoredObject, at path: FieldPath) -> JSONValue? {
        let field = object.value(of: path.field)
        guard path.isNested else { return field }
        return path.inner.reduce(field) { value, name in value?.objectValue?[name] }
    }

    func fitting(_ rows: [ObjectRow], in size: Int) -> [ObjectRow] {
        var remaining = size
        return Array(
            rows.prefix { row in
                remaining -= row.size
                return remaining >= 0
            }
        )
    }
}
