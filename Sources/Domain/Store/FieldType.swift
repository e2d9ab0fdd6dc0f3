/// The type of a field; set by the first value that is not null (protocol/data 3.7).
package enum FieldType: Sendable, Hashable {
    case string
    case number
    case boolean
    case date
    case file
    case object
    case array
    case geoPoint
    case bytes
    case pointer(ClassName)
    case relation(ClassName)
    /// A field that accepts every value; only the master key creates it.
    case any

    /// The type of a value in canonical form; `nil` for null, which every type accepts.
    package init?(of value: JSONValue) {
        switch value {
        case .null: return nil
        case .bool: self = .boolean
        case .integer, .number: self = .number
        case .string: self = .string
        case .array: self = .array
        case .object(let members):
            switch members["__type"] {
            case "Date": self = .date
            case "Bytes": self = .bytes
            case "GeoPoint": self = .geoPoint
            case "Pointer":
                guard let pointer = Pointer(stored: value) else { return nil }
                self = pointer.className == .file ? .file : .pointer(pointer.className)
            default: self = .object
            }
        }
    }

    /// Parses a type's name in the protocol, with the class for pointers and relations.
    package init?(name: String, className: ClassName?) {
        switch (name, className) {
        case ("Pointer", let target?): self = target == .file ? .file : .pointer(target)
        case ("Relation", let target?): self = .relation(target)
        case ("Pointer", nil), ("Relation", nil): return nil
        default:
            guard let plain = FieldType.plain.first(where: { $0.name == name }) else { return nil }
            self = plain
        }
    }

    /// The type's name in the protocol.
    package var name: String {
        switch self {
        case .string: "String"
        case .number: "Number"
        case .boolean: "Boolean"
        case .date: "Date"
        case .file: "File"
        case .object: "Object"
        case .array: "Array"
        case .geoPoint: "GeoPoint"
        case .bytes: "Bytes"
        case .pointer: "Pointer"
        case .relation: "Relation"
        case .any: "Any"
        }
    }

    /// The target class of a pointer or relation; `nil` for other types.
    package var target: ClassName? {
        switch self {
        case .pointer(let target), .relation(let target): target
        default: nil
        }
    }

    /// The type in the form of error 111's messages: `{:type "Pointer", :className "Folder"}`.
    package var errorText: String {
        target.map { "{:type \"\(name)\", :className \"\($0)\"}" } ?? "{:type \"\(name)\"}"
    }

    /// Whether values of the type have an order and one string each, as an index requires.
    package var isScalar: Bool {
        switch self {
        case .string, .number, .boolean, .date, .file, .bytes, .pointer: true
        case .object, .array, .geoPoint, .relation, .any: false
        }
    }

    /// Whether `$lt`, `$lte`, `$gt` and `$gte` compare two values of the type.
    package var isOrdered: Bool {
        [.string, .number, .boolean, .date].contains(self)
    }

    private static let plain: [FieldType] = [
        .string, .number, .boolean, .date, .file, .object, .array, .geoPoint, .bytes, .any,
    ]
}
