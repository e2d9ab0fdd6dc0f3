/// One object on its way out: its stored text, and what the reply puts in place of some members.
///
/// The text is in canonical form, as the stores hold it, so finding the members needs no checks: one pass over the
/// bytes.
struct RawObject {
    private struct Member {
        /// Where the name stands, escapes and all, which names of fields never have.
        let name: Range<Int>
        let value: Range<Int>
        /// What the reply puts in the value's place.
        var replacement: [UInt8]?
    }

    private let text: [UInt8]
    private var members: [Member] = []
    /// Members that the stored text does not have.
    private var added: [(name: String, value: [UInt8])] = []

    /// Takes the text of an object.
    init(_ text: [UInt8]) {
        self.text = text
        members.reserveCapacity(16)
        added.reserveCapacity(8)
        text.withUnsafeBufferPointer { bytes in
            var scanner = MemberScanner(bytes)
            while let (name, value) = scanner.next() { members.append(Member(name: name, value: value)) }
        }
    }

    /// Whether there is such a member.
    func has(_ name: String) -> Bool {
        position(of: name) != nil || added.contains { $0.name == name }
    }

    /// The text of a member; `nil` if there is none.
    func value(_ name: String) -> ArraySlice<UInt8>? {
        guard let position = position(of: name) else { return added.first { $0.name == name }?.value[...] }
        return members[position].replacement?[...] ?? text[members[position].value]
    }

    /// Puts a text in place of a member, or behind the others.
    mutating func set(_ name: String, to value: [UInt8]) {
        if let position = position(of: name) {
            members[position].replacement = value
        } else if let index = added.firstIndex(where: { $0.name == name }) {
            added[index].value = value
        } else {
            added.append((name, value))
        }
    }

    /// Puts a string that needs no escapes in place of a member: an id, a time.
    mutating func set(_ name: String, toPlain string: String) {
        var value: [UInt8] = []
        value.reserveCapacity(string.utf8.count + 2)
        value.append(UInt8(ascii: "\""))
        value.append(contentsOf: string.utf8)
        value.append(UInt8(ascii: "\""))
        set(name, to: value)
    }

    /// Takes members out.
    mutating func removeAll(where isGone: (String) -> Bool) {
        members.removeAll { isGone(String(decoding: text[$0.name], as: UTF8.self)) }
        added.removeAll { isGone($0.name) }
    }

    /// The whole as JSON.
    func encoded() -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 512)
        result.append(UInt8(ascii: "{"))
        for member in members {
            result.append(UInt8(ascii: "\""))
            result.append(contentsOf: text[member.name])
            result.append(contentsOf: "\":".utf8)
            if let replacement = member.replacement {
                result.append(contentsOf: replacement)
            } else {
                result.append(contentsOf: text[member.value])
            }
            result.append(UInt8(ascii: ","))
        }
        for (name, value) in added {
            result.append(UInt8(ascii: "\""))
            result.append(contentsOf: name.utf8)
            result.append(contentsOf: "\":".utf8)
            result.append(contentsOf: value)
            result.append(UInt8(ascii: ","))
        }
        // The last comma, unless there was none.
        if result.count > 1 { result.removeLast() }
        result.append(UInt8(ascii: "}"))
        return result
    }

    private func position(of name: String) -> Int? {
        let length = name.utf8.count
        return members.firstIndex { $0.name.count == length && text[$0.name].elementsEqual(name.utf8) }
    }
}

extension JSONValue {
    /// Reads a part of a stored text; `nil` if it is none, which only another program can have written.
    init?(stored text: ArraySlice<UInt8>) {
        guard let value = try? JSONValue(parsing: Array(text), field: "body", depth: JSONValue.deepestStored) else {
            return nil
        }
        self = value
    }
}
