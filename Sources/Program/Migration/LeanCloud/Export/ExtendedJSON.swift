internal import FileClient
internal import FoundationEssentials

/// Rows of database dumps in the form of REST: MongoDB's extended JSON has `$oid`, `$date` and other names for types.
enum ExtendedJSON {
    /// An object with `objectId`, times as strings, an ACL, and fields in REST's form.
    static func object(_ row: [String: JSON]) throws(MigrationError) -> [String: JSON] {
        var members: [String: JSON] = [:]
        for (name, value) in row where name != "__type" && name != "className" {
            members[name] = converted(value)
        }
        if let id = members.removeValue(forKey: "_id"), members["objectId"] == nil { members["objectId"] = id }
        for name in ["createdAt", "updatedAt"] {
            guard let value = members[name] else { continue }
            guard let time = value.string ?? value["iso"]?.string else {
                throw MigrationError("\(name) is no time")
            }
            members[name] = .string(time)
        }
        if members["ACL"] ?? .null == .null { members["ACL"] = everyone }
        return members
    }

    /// The ACL that a missing one means.
    static let everyone = JSON.object(["*": .object(["read": .bool(true), "write": .bool(true)])])

    private static func converted(_ value: JSON) -> JSON {
        switch value {
        case .array(let elements): .array(elements.map(converted))
        case .object(let members): typed(members) ?? .object(members.mapValues(converted))
        default: value
        }
    }

    /// The value of an object whose only member names its type; `nil` for another object.
    private static func typed(_ members: [String: JSON]) -> JSON? {
        if let name = members["$ref"]?.string, let id = members["$id"].map(converted)?.string {
            return .object(["__type": .string("Pointer"), "className": .string(name), "objectId": .string(id)])
        }
        guard members.count == 1, let (name, value) = members.first else { return nil }
        switch name {
        case "$oid": return value
        case "$date": return date(converted(value))
        case "$numberLong", "$numberInt": return value.string.flatMap { Int64($0) }.map { .integer($0) }
        case "$numberDouble": return value.string.flatMap { Double($0) }.map { .number($0) }
        default: return nil
        }
    }

    private static func date(_ value: JSON) -> JSON? {
        let text: String? =
            switch value {
            case .string(let text): text
            case .integer(let milliseconds): iso(milliseconds)
            case .number(let milliseconds): Int64(exactly: milliseconds.rounded()).map(iso)
            default: nil
            }
        return text.map { .object(["__type": .string("Date"), "iso": .string($0)]) }
    }

    /// A time in milliseconds since 1970 as LeanCloud writes it.
    static func iso(_ milliseconds: Int64) -> String {
        let seconds = milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
        let fraction = String(milliseconds - seconds * 1000)
        let text = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        return text.dropLast() + "." + String(repeating: "0", count: 3 - fraction.count) + fraction + "Z"
    }
}
