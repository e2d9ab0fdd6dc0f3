/// A reference to one object: its class and its id.
package struct Pointer: Hashable, Sendable {
    /// The object's class.
    package let className: ClassName
    /// The object's id; the object need not exist.
    package let id: ObjectID

    /// Creates a pointer from checked parts.
    package init(_ className: ClassName, _ id: ObjectID) {
        self.className = className
        self.id = id
    }

    /// Parses `{"__type":"Pointer","className":…,"objectId":…}`, or a `File` in any form that SDKs send (protocol/files
    /// 4.1); ignores other members.
    ///
    /// The id of a `File` is `objectId` or `id`, the first of them that is a string.
    ///
    /// - Throws: ``ServiceError/Code/malformedPointer``.
    package init(_ members: [String: JSONValue]) throws {
        let isFile = members["__type"] == .string("File")
        let text = members["objectId"]?.stringValue ?? (isFile ? members["id"]?.stringValue : nil)
        guard let id = text.flatMap({ ObjectID($0) }),
            let className = isFile ? ClassName.file : try? ClassName(members["className"]?.stringValue ?? "")
        else {
            throw ServiceError(
                .malformedPointer,
                "Malformed pointer. Pointers must be arrays of a classname and an object id."
            )
        }
        self.init(className, id)
    }

    /// Reads a stored pointer in its canonical form; `nil` if the value is of another type.
    package init?(stored value: JSONValue) {
        guard case .object(let members) = value, members["__type"] == .string("Pointer"),
            let pointer = try? Pointer(members)
        else { return nil }
        self = pointer
    }

    /// Parses the text of the canonical form; `nil` for other text.
    package init?(canonical text: ArraySlice<UInt8>) {
        var rest = text
        guard let className = Pointer.take(#"{"__type":"Pointer","className":""#, from: &rest),
            let id = Pointer.take(#","objectId":""#, from: &rest), rest.elementsEqual("}".utf8),
            let className = try? ClassName(className), let id = ObjectID(id)
        else { return nil }
        self.init(className, id)
    }

    /// Removes the given beginning, and returns the string up to the next quote.
    private static func take(_ beginning: StaticString, from text: inout ArraySlice<UInt8>) -> String? {
        let bytes = UnsafeBufferPointer(start: beginning.utf8Start, count: beginning.utf8CodeUnitCount)
        guard text.starts(with: bytes), let quote = text.dropFirst(bytes.count).firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        defer { text = text[(quote + 1)...] }
        return String(decoding: text[(text.startIndex + bytes.count)..<quote], as: UTF8.self)
    }

    /// The canonical form, with exactly three members.
    package var json: JSONValue {
        .object([
            "__type": .string("Pointer"), "className": .string(className.description),
            "objectId": .string(id.description),
        ])
    }
}
