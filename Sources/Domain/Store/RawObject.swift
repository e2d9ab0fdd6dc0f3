/// The JSON text of one object in a reply: its stored text, with replacements for some members.
///
/// The text is in canonical form, as the stores hold it, so finding the members takes one pass over the bytes without
/// checks.
struct RawObject {
    private struct Member {
        /// The range of the name; names of fields contain no escapes.
        let name: Range<Int>
        let value: Range<Int>
        /// The value in the reply, if it replaces the stored one.
        var replacement: [UInt8]?
    }

    private let text: [UInt8]
    private var members: [Member] = []
    /// Members that the stored text does not have.
    private var added: [(name: String, value: [UInt8])] = []
    /// Further members, as text.
    private var ending: [UInt8] = []

    /// Scans the text of an object.
    init(_ text: [UInt8]) {
        self.text = text
        members.reserveCapacity(16)
        text.withUnsafeBufferPointer { bytes in
            var scanner = MemberScanner(bytes)
            while let (name, value) = scanner.next() { members.append(Member(name: name, value: value)) }
        }
    }

    /// Whether the member exists.
    func has(_ name: String) -> Bool {
        position(of: name) != nil || added.contains { $0.name == name }
    }

    /// The JSON text of a member; `nil` if it does not exist.
    func value(_ name: String) -> ArraySlice<UInt8>? {
        guard let position = position(of: name) else { return added.first { $0.name == name }?.value[...] }
        return members[position].replacement?[...] ?? text[members[position].value]
    }

    /// Replaces the value of a member, or appends the member.
    mutating func set(_ name: String, to value: [UInt8]) {
        if let position = position(of: name) {
            members[position].replacement = value
        } else if let index = added.firstIndex(where: { $0.name == name }) {
            added[index].value = value
        } else {
            added.append((name, value))
        }
    }

    /// Sets a member to a string that needs no escapes, such as an id or a time.
    mutating func set(_ name: String, toPlain string: String) {
        var value: [UInt8] = []
        value.reserveCapacity(string.utf8.count + 2)
        value.append(UInt8(ascii: "\""))
        value.append(contentsOf: string.utf8)
        value.append(UInt8(ascii: "\""))
        set(name, to: value)
    }

    /// Removes members.
    mutating func removeAll(where isGone: (String) -> Bool) {
        members.removeAll { isGone(String(decoding: text[$0.name], as: UTF8.self)) }
        added.removeAll { isGone($0.name) }
    }

    /// Appends members as JSON text without braces, which can be neither found nor changed afterwards.
    mutating func append(members text: [UInt8]) {
        ending = text
    }

    /// The object as JSON.
    func encoded() -> [UInt8] {
        var result: [UInt8] = []
        // The size of what is left: an object without its largest members must not take their memory.
        var size = ending.count + 3
        for member in members { size += member.name.count + (member.replacement?.count ?? member.value.count) + 4 }
        for (name, value) in added { size += name.utf8.count + value.count + 4 }
        result.reserveCapacity(size)
        result.append(UInt8(ascii: "{"))
        appendMembers(to: &result)
        for (name, value) in added {
            result.append(UInt8(ascii: "\""))
            result.append(contentsOf: name.utf8)
            result.append(contentsOf: "\":".utf8)
            result.append(contentsOf: value)
            result.append(UInt8(ascii: ","))
        }
        if !ending.isEmpty {
            result.append(contentsOf: ending)
            result.append(UInt8(ascii: ","))
        }
        // Removes the last comma, if there is one.
        if result.count > 1 { result.removeLast() }
        result.append(UInt8(ascii: "}"))
        return result
    }

    /// Appends the stored members, each with a comma; neighbours without replacements in one piece.
    private func appendMembers(to result: inout [UInt8]) {
        var start = 0
        var end = 0
        for member in members {
            // A quote before the name; a comma before the quote.
            if member.name.lowerBound - 2 != end || end == 0 {
                if end > start { result.append(contentsOf: text[start..<end]) }
                if end > 0 { result.append(UInt8(ascii: ",")) }
                start = member.name.lowerBound - 1
            }
            end = member.value.upperBound
            guard let replacement = member.replacement else { continue }
            result.append(contentsOf: text[start..<member.value.lowerBound])
            result.append(contentsOf: replacement)
            start = end
        }
        guard end > 0 else { return }
        result.append(contentsOf: text[start..<end])
        result.append(UInt8(ascii: ","))
    }

    private func position(of name: String) -> Int? {
        let length = name.utf8.count
        return members.firstIndex { $0.name.count == length && text[$0.name].elementsEqual(name.utf8) }
    }
}

extension JSONValue {
    /// Parses a part of a stored text; `nil` for invalid JSON, which only another program can have written.
    init?(stored text: ArraySlice<UInt8>) {
        guard let value = try? JSONValue(parsing: Array(text), field: "body", depth: JSONValue.deepestStored) else {
            return nil
        }
        self = value
    }
}
