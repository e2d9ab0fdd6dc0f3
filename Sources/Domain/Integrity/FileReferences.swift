/// The references to files in the values of an object.
package enum FileReferences {
    /// The ids of all files to which a value refers, in fields, arrays and nested objects.
    ///
    /// Stored references are pointers to `_File`; `{"__type": "File", "id": …}` counts as well, for objects that another
    /// program wrote. A file without an id, on another server, is no reference.
    package static func ids(in value: JSONValue) -> Set<ObjectID> {
        var ids: Set<ObjectID> = []
        collect(value, &ids)
        return ids
    }

    private static func collect(_ value: JSONValue, _ ids: inout Set<ObjectID>) {
        switch value {
        case .array(let elements):
            for element in elements { collect(element, &ids) }
        case .object(let members):
            switch members["__type"]?.stringValue {
            case "Pointer" where members["className"] == .string(ClassName.file.description):
                insert("objectId", of: members, &ids)
            case "File": insert(members["id"] == nil ? "objectId" : "id", of: members, &ids)
            default: for member in members.values { collect(member, &ids) }
            }
        case .null, .bool, .integer, .number, .string:
            break
        }
    }

    private static func insert(_ name: String, of members: [String: JSONValue], _ ids: inout Set<ObjectID>) {
        if let id = members[name]?.stringValue.flatMap({ ObjectID($0) }) { ids.insert(id) }
    }
}
