extension ConditionParser {
    /// Parses `$nearSphere` or `$near` with the distances beside it (protocol/data 4.1).
    ///
    /// Distances without a unit in their name are in radians.
    func circle(_ json: JSONValue, _ members: [String: JSONValue], _ path: String) throws -> Condition.Circle {
        Condition.Circle(
            center: try point(json, path),
            minimum: try distance("$minDistance", members, path),
            maximum: try distance("$maxDistance", members, path)
        )
    }

    /// Parses `{"$box":[southWest,northEast]}`; the corners can have any order.
    func box(_ json: JSONValue, _ path: String) throws -> Condition.Box {
        guard let members = json.objectValue, members.count == 1, let corners = members["$box"]?.arrayValue,
            corners.count == 2
        else { throw refusal(path, "must be {\"$box\":[southWest,northEast]}") }
        return Condition.Box(corner: try point(corners[0], path), opposite: try point(corners[1], path))
    }

    /// Parses a GeoPoint, or an array of two numbers: longitude first, as in CQL and MongoDB (protocol/data 4.7).
    private func point(_ json: JSONValue, _ path: String) throws -> GeoPoint {
        if let numbers = json.arrayValue, numbers.count == 2, numbers.allSatisfy({ $0.numberValue != nil }) {
            return try GeoPoint(["longitude": numbers[0], "latitude": numbers[1]])
        }
        guard let members = json.objectValue, members["__type"] == "GeoPoint" else {
            throw refusal(path, "must be a GeoPoint or [longitude,latitude]")
        }
        return try GeoPoint(members)
    }

    private func distance(_ name: String, _ members: [String: JSONValue], _ path: String) throws -> Double? {
        let units = ["": 1, "InRadians": 1, "InKilometers": GeoPoint.kilometers, "InMiles": GeoPoint.miles]
        for (suffix, unit) in units.sorted(by: { $0.key < $1.key }) {
            guard let json = members[name + suffix] else { continue }
            guard let distance = json.numberValue, distance >= 0 else {
                throw refusal("\(path).\(name)\(suffix)", "must be a number of 0 or more")
            }
            return distance / unit
        }
        return nil
    }
}
