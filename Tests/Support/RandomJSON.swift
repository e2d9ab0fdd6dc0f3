package import Domain

/// A generator that returns the same numbers for the same seed, so that a failure of a property test can be repeated.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// The next number of SplitMix64.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}

/// Random JSON of the protocol's keywords, in valid and invalid places.
package enum RandomJSON {
    /// A value that resembles a `where`.
    package static func condition(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0 where depth > 0:
                let list = (0..<2).map { _ in condition(depth: depth - 1, &generator) }
                members[pick(["$and", "$or", "$nor"], &generator)] = .array(list)
            case 1:
                members[field(&generator)] = value(depth: depth, &generator)
            case 2:
                members["$relatedTo"] = value(depth: depth, &generator)
            default:
                members[field(&generator)] = tests(depth: depth, &generator)
            }
        }
        return .object(members)
    }

    /// A value that resembles an object's fields or a body.
    package static func object(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            members[field(&generator)] = value(depth: depth, &generator)
        }
        return .object(members)
    }

    private static func tests(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            let name = pick(operators, &generator)
            switch name {
            case "$in", "$nin", "$all":
                members[name] = .array((0..<3).map { _ in value(depth: depth - 1, &generator) })
            case "$regex":
                members[name] = .string(pick(["a", "^a.*b$", "\\Qx\\E", "(", "[a-z]+", "(a+)+$"], &generator))
            case "$exists":
                members[name] = .bool(Bool.random(using: &generator))
            case "$inQuery":
                members[name] = .object(["className": "Task", "where": condition(depth: depth - 1, &generator)])
            default:
                members[name] = value(depth: depth - 1, &generator)
            }
        }
        return .object(members)
    }

    private static func value(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 13 : 7), using: &generator) {
        case 0: .null
        case 1: .bool(Bool.random(using: &generator))
        case 2: .integer(pick([0, 1, -1, 42, .max, .min], &generator))
        case 3: .number(pick([0.5, -1e300, 1e-300, 9_007_199_254_740_992], &generator))
        case 4, 5:
            .string(pick(["", "a", "ab", "照片", "e\u{301}", "\u{0}", "'; DROP TABLE class; --", "$x"], &generator))
        case 6: .object(["__op": .string(pick(["Increment", "Add", "Delete", "Batch", "X"], &generator))])
        case 7: .array((0..<2).map { _ in value(depth: depth - 1, &generator) })
        case 8: object(depth: depth - 1, &generator)
        case 9: .object(["__type": "Date", "iso": .string(pick(["2024-03-01T08:00:00.120Z", "x"], &generator))])
        case 10:
            .object(["__type": "Pointer", "className": "Task", "objectId": .string(pick(["a", "", "?"], &generator))])
        case 11:
            .object(["__type": "GeoPoint", "latitude": .number(1), "longitude": .number(pick([2, 999], &generator))])
        default: .object(["__type": .string(pick(["File", "Bytes", "Relation", "X"], &generator))])
        }
    }

    private static let operators = [
        "$ne", "$lt", "$lte", "$gt", "$gte", "$in", "$nin", "$all", "$exists", "$size", "$regex", "$nearSphere",
        "$within", "$inQuery", "$select", "$what",
    ]

    private static func field(_ generator: inout SeededGenerator) -> String {
        pick(["a", "b", "c", "a.b", "a.0.b", "objectId", "createdAt", "ACL", "a b", "__x", "$a"], &generator)
    }

    private static func pick<Value>(_ values: [Value], _ generator: inout SeededGenerator) -> Value {
        values[Int.random(in: 0..<values.count, using: &generator)]
    }
}
