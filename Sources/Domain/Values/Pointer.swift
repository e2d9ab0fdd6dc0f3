/// Names one object: its class and its id.
package struct Pointer: Hashable, Sendable {
    /// The object's class.
    package let className: ClassName
    /// The object's id; it need not exist.
    package let id: ObjectID

    /// Takes checked parts.
    package init(_ className: ClassName, _ id: ObjectID) {
        self.className = className
        self.id = id
    }

    /// Reads `{"__type":"Pointer","className":…,"objectId":…}`, or a `File` in any of the forms SDKs send
    /// (protocol/files 4.1); other members are not looked at.
    ///
    /// - Throws: ``ServiceError/Code/malformedPointer``.
    package init(_ members: [String: JSONValue]) throws {
        let isFile = members["__type"] == .string("File")
        let id = members["objectId"] ?? (isFile ? members["id"] : nil)
        guard let id = id?.stringValue.flatMap({ ObjectID($0) }),
            let className = isFile ? ClassName.file : try? ClassName(members["className"]?.stringValue ?? "")
        else {
            throw ServiceError(
                .malformedPointer,
                "Malformed pointer. Pointers must be arrays of a classname and an object id."
            )
        }
        self.init(className, id)
    }

    /// Reads what a document holds: a pointer in its canonical form, or `nil` if the value is something else.
    package init?(stored value: JSONValue) {
        guard case .object(let members) = value, members["__type"] == .string("Pointer"),
            let pointer = try? Pointer(members)
        else { return nil }
        self = pointer
    }

    /// Reads the text of the canonical form, or `nil` if the text is something else.
    package init?(canonical text: ArraySlice<UInt8>) {
        var rest = text
        guard let className = Pointer.take(#"{"__type":"Pointer","className":""#, from: &rest),
            let id = Pointer.take(#","objectId":""#, from: &rest), rest.elementsEqual("}".utf8),
            let className = try? ClassName(className), let id = ObjectID(id)
        else { return nil }
        self.init(className, id)
    }

    /// What stands between a beginning and the next quote.
    private static func take(_ beginning: StaticString, from text: inout ArraySlice<UInt8>) -> String? {
        let bytes = UnsafeBufferPointer(start: beginning.utf8Start, count: beginning.utf8CodeUnitCount)
        guard text.starts(with: bytes), let quote = text.dropFirst(bytes.count).firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        defer { text = text[(quote + 1)...] }
        return String(decoding: text[(text.startIndex + bytes.count)..<quote], as: UTF8.self)
    }

    /// The canonical form: three members and no more.
    package var json: JSONValue {
        .object([
            "__type": .string("Pointer"), "className": .string(className.description),
            "objectId": .string(id.description),
        ])
    }
}
