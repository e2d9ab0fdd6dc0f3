/// What a field holds; fixed by the first value that is not null (protocol/data 3.7).
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
    /// Everything fits; made by the master key only.
    case any

    /// The type of a value in canonical form; `nil` for null, which fits every type.
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

    /// Takes a type's name on the wire, and the class for those that have one.
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

    /// The type's name on the wire.
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

    /// The class that a pointer or relation leads to.
    package var target: ClassName? {
        switch self {
        case .pointer(let target), .relation(let target): target
        default: nil
        }
    }

    /// The type as the texts of error 111 write it: `{:type "Pointer", :className "Folder"}`.
    package var errorText: String {
        target.map { "{:type \"\(name)\", :className \"\($0)\"}" } ?? "{:type \"\(name)\"}"
    }

    /// Whether two values of the type are in an order, and one value is equal to one text: what an index can hold.
    package var isScalar: Bool {
        switch self {
        case .string, .number, .boolean, .date, .file, .bytes, .pointer: true
        case .object, .array, .geoPoint, .relation, .any: false
        }
    }

    /// Whether `$lt` and its kin compare two values of the type.
    package var isOrdered: Bool {
        [.string, .number, .boolean, .date].contains(self)
    }

    private static let plain: [FieldType] = [
        .string, .number, .boolean, .date, .file, .object, .array, .geoPoint, .bytes, .any,
    ]
}
