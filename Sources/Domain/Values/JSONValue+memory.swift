extension JSONValue {
    /// The estimated memory of the value in bytes, beside the 24 bytes of its own slot.
    ///
    /// By the measurements of the parser: an element of an array takes up to twice its slot, and a member of an object
    /// 40 bytes in storage that can be three eighths full.
    var memory: Int {
        switch self {
        case .null, .bool, .integer, .number: 0
        case .string(let text): text.storedMemory
        case .array(let elements): elements.isEmpty ? 0 : elements.reduce(32) { $0 + 48 + $1.memory }
        case .object(let members):
            members.isEmpty
                ? 0 : members.reduce(48 + 108 * max(members.count, 2)) { $0 + $1.key.storedMemory + $1.value.memory }
        }
    }
}

extension String {
    /// The estimated memory of the characters in bytes; up to 15 bytes are in the slot of the string.
    var storedMemory: Int { utf8.count > 15 ? 48 + utf8.count : 0 }
}
