/// Shows stored objects to a caller: defaults, relations, files and included objects (protocol/data 3.2, 4.4).
struct ObjectPresenter {
    let reader: any ReadTransaction
    let access: ObjectAccess
    let files: FilePresentation
    /// The maximum size of the objects in a reply, in bytes; included objects take what the results leave.
    let replySize: Int

    /// One object as the caller sees it.
    func object(_ row: ObjectRow, in schema: ClassSchema, view: ObjectView) throws -> ShownObject {
        try objects([row.reading(projection(of: view, in: schema))], in: schema, view: view)[0]
    }

    /// What a query reads of the objects of a class, so that the size of a reply is that of what it shows.
    ///
    /// - Parameters:
    ///   - view: The parts that are shown.
    ///   - schema: The class.
    ///   - others: Fields that the query's caller reads as well.
    /// - Returns: The projection; `nil` reads all fields.
    func projection(of view: ObjectView, in schema: ClassSchema, and others: Set<String> = []) -> RowProjection? {
        let ofFiles = schema.name == .file ? files.membersRead(for: access.caller) : []
        return view.projection(keeping: others.union(ofFiles))
    }

    /// Objects of one class as the caller sees them.
    ///
    /// The rows have at least what ``projection(of:in:and:)`` reads.
    ///
    /// Each include path takes one query for each class, for any number of objects. Included objects that exceed the
    /// size limit stay pointers.
    func objects(_ rows: [ObjectRow], in schema: ClassSchema, view: ObjectView) throws -> [ShownObject] {
        let shape = ClassShape(of: schema, seenBy: access)
        if shape.isPlain, view.isPlain { return rows.map { ShownObject(json: $0.text(ending: "")) } }
        var capacity = rows.reduce(replySize) { $0 - $1.size }
        return try shown(rows, shape, view: view, capacity: &capacity).map { ShownObject(json: $0.encoded()) }
    }

    private func shown(
        _ rows: [ObjectRow],
        _ shape: ClassShape,
        view: ObjectView,
        capacity: inout Int
    ) throws -> [RawObject] {
        var shown = try rows.map { row in
            try reader.budget?.check()
            return text(of: row, shape, view: view)
        }
        // File fields are expanded by default; files in arrays are not (protocol/files 4.1).
        for name in shape.files where view.include[name] == nil && view.shows(name) {
            try expand(name, as: view.below(name), in: &shown, capacity: &capacity)
        }
        for name in view.include.names where view.shows(name) {
            try expand(name, as: view.below(name), in: &shown, capacity: &capacity)
        }
        return shown
    }

    /// One object without included objects.
    private func text(of row: ObjectRow, _ shape: ClassShape, view: ObjectView) -> RawObject {
        var object = RawObject(row.body)
        for (name, value) in shape.relations { object.set(name, to: value) }
        for (name, value) in shape.defaults where !object.has(name) { object.set(name, to: value) }
        if !shape.hidden.isEmpty {
            let showsVerdict = shape.isFile && files.showsVerdict(about: object, to: access.caller)
            object.removeAll { shape.hidden.contains($0) && !(showsVerdict && $0 == VerdictField.verdict) }
        }
        if shape.hasOwnFields { object.removeAll { $0.hasPrefix("_") } }
        if shape.isUser, !access.caller.isMaster, access.caller.user?.id != row.id {
            object.removeAll { $0 == AuthData.field }
        }
        if shape.isFile { files.complete(&object, acl: row.acl, showingURL: !view.hidesFileURLs) }
        if shape.isPlain, !view.isSelective {
            // Nothing removes or replaces these members.
            object.append(members: row.systemMembers)
        } else {
            object.set("objectId", toPlain: row.id.description)
            object.set("createdAt", toPlain: row.createdAt.iso8601)
            object.set("updatedAt", toPlain: row.updatedAt.iso8601)
        }
        if view.returnsACL {
            object.set("ACL", to: row.acl ?? JSONValue.object(AccessControlList.everyone.json).encoded())
        }
        if view.isSelective { view.select(from: &object) }
        return object
    }

    /// Replaces the pointers under a name, and those in arrays and plain objects under it, by a view of the objects.
    private func expand(_ name: String, as view: ObjectView, in shown: inout [RawObject], capacity: inout Int) throws {
        let values = shown.map { $0.value(name).map(IncludedValue.init) ?? .other }
        let pointers = try included(values.lazy.compactMap(\.pointer), as: view, capacity: &capacity)
        // Pointers in arrays are expanded for one level only (protocol/data 4.4): the number would multiply at every
        // level.
        var flat = view
        flat.include = PathTree()
        let elements = try included(values.lazy.flatMap(\.elementPointers), as: flat, capacity: &capacity)
        for (index, value) in values.enumerated() {
            try reader.budget?.check()
            switch value {
            case .other:
                break
            case .pointer(let pointer):
                if let text = take(pointers[pointer], capacity: &capacity) { shown[index].set(name, to: text) }
            case .array(let text):
                let replaced = text.replacingElements { element in
                    Pointer(canonical: element).flatMap { take(elements[$0], capacity: &capacity) }
                }
                shown[index].set(name, to: replaced)
            case .object(let text):
                // A dotted name can pass through a plain object before it reaches a pointer.
                guard !view.include.isEmpty else { break }
                var inner = [RawObject(text)]
                for name in view.include.names where view.shows(name) {
                    try expand(name, as: view.below(name), in: &inner, capacity: &capacity)
                }
                shown[index].set(name, to: inner[0].encoded())
            }
        }
    }

    /// The JSON of the objects that pointers refer to.
    private func included(
        _ pointers: some Sequence<Pointer>,
        as view: ObjectView,
        capacity: inout Int
    ) throws -> IncludedObjects {
        var ids: [ClassName: Set<ObjectID>] = [:]
        for pointer in pointers { ids[pointer.className, default: []].insert(pointer.id) }
        var found = IncludedObjects()
        for (className, ids) in ids.sorted(by: { $0.key < $1.key }) {
            guard let schema = try reader.visibleSchema(of: className) else { continue }
            let view = className == .file ? view.ofFiles : view
            let rows = try readableRows(ids, in: schema, upTo: capacity, reading: projection(of: view, in: schema))
            if rows.isEmpty { continue }
            let shape = ClassShape(of: schema, seenBy: access)
            var texts: [ObjectID: [UInt8]] = [:]
            texts.reserveCapacity(rows.count)
            if shape.isPlain, view.isPlain {
                let ending = #","__type":"Pointer","className":"\#(className)""#
                for row in rows { texts[row.id] = row.text(ending: ending) }
                found.texts[className] = texts
                continue
            }
            for (row, object) in zip(rows, try shown(rows, shape, view: view, capacity: &capacity)) {
                var object = object
                object.set("__type", toPlain: className == .file ? "File" : "Pointer")
                if className == .file {
                    // SDKs fail on a file in a field without one (protocol/files 4.1).
                    if object.value("url") == nil { object.set("url", toPlain: "") }
                } else {
                    object.set("className", toPlain: className.description)
                }
                texts[row.id] = object.encoded()
            }
            found.texts[className] = texts
        }
        return found
    }

    /// The objects of a class that the caller is allowed to read in place of pointers; the calling user is always one.
    private func readableRows(
        _ ids: Set<ObjectID>,
        in schema: ClassSchema,
        upTo capacity: Int,
        reading projection: RowProjection?
    ) throws -> [ObjectRow] {
        var rows: [ObjectRow] = []
        if access.includes(schema) {
            let readers = access.readers
            rows = try reader.rows(ids, in: schema.name, readableBy: readers, upTo: capacity, reading: projection)
        }
        guard let user = access.caller.user?.id, access.isSelf(user, in: schema), ids.contains(user),
            !rows.contains(where: { $0.id == user }), let itself = try reader.row(user, in: schema.name)
        else { return rows }
        return rows + [itself.reading(projection)]
    }

    /// The JSON if it fits into the reply, else `nil`; SDKs treat a remaining pointer as an object that was not
    /// fetched.
    private func take(_ text: [UInt8]?, capacity: inout Int) -> [UInt8]? {
        guard let text, text.count <= capacity else { return nil }
        capacity -= text.count
        return text
    }
}

/// The JSON of included objects.
///
/// By class and then by id: a dictionary of pointers hashes the name of the class for each object, too.
private struct IncludedObjects {
    var texts: [ClassName: [ObjectID: [UInt8]]] = [:]

    subscript(pointer: Pointer) -> [UInt8]? { texts[pointer.className]?[pointer.id] }
}

/// The value of a field that an include expands.
private enum IncludedValue {
    case other
    case pointer(Pointer)
    /// As text, because the values of all objects of a reply are kept at the same time.
    case array([UInt8])
    case object([UInt8])

    /// Classifies a member's JSON, which is in canonical form.
    init(_ text: ArraySlice<UInt8>) {
        switch text.first {
        case UInt8(ascii: "{"):
            if let pointer = Pointer(canonical: text) {
                self = .pointer(pointer)
            } else {
                self = text.starts(with: #"{"__type""#.utf8) ? .other : .object(Array(text))
            }
        case UInt8(ascii: "["):
            let array = Array(text)
            self = array.elementPointers.isEmpty ? .other : .array(array)
        default:
            self = .other
        }
    }

    var pointer: Pointer? {
        guard case .pointer(let pointer) = self else { return nil }
        return pointer
    }

    var elementPointers: [Pointer] {
        guard case .array(let text) = self else { return [] }
        return text.elementPointers
    }
}

/// The members that a class adds to or removes from each of its objects, computed once for all of them.
private struct ClassShape {
    let isFile: Bool
    let isUser: Bool
    /// Whether objects can have fields that are never shown.
    let hasOwnFields: Bool
    private(set) var files: [String] = []
    private(set) var relations: [(String, [UInt8])] = []
    private(set) var defaults: [(String, [UInt8])] = []
    private(set) var hidden: Set<String> = []

    /// Whether objects are sent as they are stored.
    var isPlain: Bool { !hasOwnFields && files.isEmpty && relations.isEmpty && defaults.isEmpty && hidden.isEmpty }

    init(of schema: ClassSchema, seenBy access: ObjectAccess) {
        isFile = schema.name == .file
        isUser = schema.name == .user
        hasOwnFields = schema.name.isReserved
        // Few classes have such a field, and sorting all fields takes longer than showing an object.
        for (name, field) in schema.fields.filter(\.value.changesReplies).sorted(by: { $0.key < $1.key }) {
            if field.type == .file { files.append(name) }
            if case .relation(let target) = field.type {
                let relation: JSONValue = ["__type": "Relation", "className": .string(target.description)]
                relations.append((name, relation.encoded()))
            }
            if let value = field.defaultValue { defaults.append((name, value.encoded())) }
            if field.isHidden, !access.caller.isMaster { hidden.insert(name) }
        }
    }
}

extension FieldDefinition {
    /// Whether a reply can show the field in another way than it is stored.
    fileprivate var changesReplies: Bool {
        if isHidden || defaultValue != nil { return true }
        switch type {
        case .file, .relation: return true
        default: return false
        }
    }
}

/// The text of an array in canonical JSON.
extension [UInt8] {
    fileprivate var elementPointers: [Pointer] {
        var pointers: [Pointer] = []
        forEachElement { element in
            if let pointer = Pointer(canonical: element) { pointers.append(pointer) }
        }
        return pointers
    }

    /// The array with other texts in the place of some elements; `nil` keeps an element.
    fileprivate func replacingElements(by replacement: (ArraySlice<UInt8>) -> [UInt8]?) -> [UInt8] {
        var result: [UInt8] = [UInt8(ascii: "[")]
        result.reserveCapacity(count)
        forEachElement { element in
            if result.count > 1 { result.append(UInt8(ascii: ",")) }
            result.append(contentsOf: replacement(element)?[...] ?? element)
        }
        result.append(UInt8(ascii: "]"))
        return result
    }

    private func forEachElement(_ body: (ArraySlice<UInt8>) -> Void) {
        withUnsafeBufferPointer { bytes in
            var scanner = MemberScanner(bytes)
            while let range = scanner.nextElement() { body(self[range]) }
        }
    }
}
