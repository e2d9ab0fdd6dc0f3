/// Which values of objects are references to files (docs/trash.md).
package struct ReferenceRules: Sendable, Hashable {
    /// A field of a class.
    package struct Field: Sendable, Hashable {
        let className: ClassName
        let name: String

        /// Parses `Class.field`.
        ///
        /// - Throws: ``ServiceError/Code/badRequest``; ``ServiceError/Code/invalidClassName``.
        package init(_ text: String) throws {
            let parts = text.split(separator: ".", maxSplits: 1)
            guard parts.count == 2, let path = try? FieldPath(parts[1]), path.inner.isEmpty else {
                throw ServiceError(.badRequest, "A field must be written as Class.field, such as Post.cover.")
            }
            className = try ClassName(parts[0])
            name = path.field
        }
    }

    /// Classes whose objects do not count.
    package var ignoredClasses: Set<ClassName> = []
    /// Fields whose values do not count.
    package var ignoredFields: Set<Field> = []
    /// Fields whose strings count as the ids and keys of files.
    package var nameFields: Set<Field> = []
    /// Whether URLs in strings count.
    package var countsURLs = true
    /// The beginnings of the app's file URLs, without a slash at their end.
    package var fileDomains: [String] = []
    /// What separates a key from the name of an image style in URLs.
    package var styleSeparator: Character = "-"

    /// Creates the rules by which every reference counts.
    package init() {}

    /// Whether objects of a class can refer to files.
    ///
    /// lcfile's own classes do not, except for users, roles, and files with metadata about other files.
    func counts(_ name: ClassName) -> Bool {
        (!name.isReserved || [.user, .role, .file].contains(name)) && !ignoredClasses.contains(name)
    }

    /// The ids and keys of the files that an object refers to.
    func mentions(in object: StoredObject, of name: ClassName) -> [FileMention] {
        var mentions: [FileMention] = []
        let names = nameFields.filter { $0.className == name }.map(\.name)
        let ignored = ignoredFields.filter { $0.className == name }.map(\.name)
        for (field, value) in object.fields where !ignored.contains(field) {
            // The other fields of a file describe the file itself.
            if name == .file, field != "metaData" { continue }
            collect(from: value, isName: names.contains(field), into: &mentions)
        }
        return mentions
    }

    private func collect(from value: JSONValue, isName: Bool, into mentions: inout [FileMention]) {
        switch value {
        case .object(let members):
            if let id = ReferenceRules.pointer(members) { mentions.append(.id(id)) }
            for member in members.values { collect(from: member, isName: isName, into: &mentions) }
        case .array(let elements):
            for element in elements { collect(from: element, isName: isName, into: &mentions) }
        case .string(let text):
            if isName {
                if let id = ObjectID(text) { mentions.append(.id(id)) }
                if let key = FileKey(text) { mentions.append(.key(key)) }
            }
            if countsURLs, text.utf8.contains(UInt8(ascii: "/")) {
                let urls = URLKeys(fileDomains: fileDomains, styleSeparator: styleSeparator)
                urls.each(in: text) { mentions.append(.key($0)) }
            }
        default: break
        }
    }

    /// The id in a pointer to a file, or in a value of the type `File`.
    private static func pointer(_ members: [String: JSONValue]) -> ObjectID? {
        switch members["__type"]?.stringValue {
        case "Pointer" where members["className"] == .string(ClassName.file.description):
            members["objectId"]?.stringValue.flatMap { ObjectID($0) }
        case "Object" where members["className"] == .string(ClassName.file.description):
            members["objectId"]?.stringValue.flatMap { ObjectID($0) }
        case "File": (members["id"] ?? members["objectId"])?.stringValue.flatMap { ObjectID($0) }
        default: nil
        }
    }
}
