/// A set of values, equal as in queries (``JSONValue/isSame(as:)``), with lookups in constant time.
package struct ValueSet: Sendable, Hashable {
    /// The values in insertion order.
    package private(set) var values: [JSONValue] = []
    private var members: Set<Member> = []
    /// The kinds of the values, so that most other values are excluded without hashing.
    private var kinds: Kinds = []

    /// Creates a set; duplicates are dropped.
    package init(_ values: [JSONValue] = []) {
        for value in values { insert(value) }
    }

    /// Whether the set contains the value.
    package func contains(_ value: JSONValue) -> Bool {
        kinds.contains(Kinds(of: value)) && members.contains(Member(value: value))
    }

    /// Adds a value; returns `false` if the set already contains it.
    @discardableResult
    package mutating func insert(_ value: JSONValue) -> Bool {
        guard members.insert(Member(value: value)).inserted else { return false }
        values.append(value)
        kinds.formUnion(Kinds(of: value))
        return true
    }

    private struct Kinds: OptionSet, Hashable {
        let rawValue: UInt8

        init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The kind of one value; 1 and 1.0 have the same kind.
        init(of value: JSONValue) {
            switch value {
            case .null: rawValue = 1
            case .bool: rawValue = 2
            case .integer, .number: rawValue = 4
            case .string: rawValue = 8
            case .array: rawValue = 16
            case .object: rawValue = 32
            }
        }
    }

    /// A value as a key of a dictionary, equal as in queries.
    struct Member: Sendable, Hashable {
        let value: JSONValue

        static func == (left: Member, right: Member) -> Bool {
            left.value.isSame(as: right.value)
        }

        func hash(into hasher: inout Hasher) {
            switch value {
            case .null: hasher.combine(Kinds(of: value))
            case .bool(let value): hasher.combine(value)
            // 1 and 1.0 have the same hash; integers that a double cannot distinguish only share a bucket.
            case .integer(let value): hasher.combine(Double(value))
            case .number(let value): hasher.combine(value)
            case .string(var text): text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            case .array(let elements):
                hasher.combine(elements.count)
                for element in elements { hasher.combine(Member(value: element)) }
            case .object(let members):
                // Independent of the order of members. Each is hashed as a whole, so that equal values of two members,
                // which a client can choose, do not cancel each other out.
                hasher.combine(
                    members.reduce(0) { sum, member in
                        var hasher = Hasher()
                        hasher.combine(member.key)
                        hasher.combine(Member(value: member.value))
                        return sum &+ hasher.finalize()
                    }
                )
            }
        }
    }
}
