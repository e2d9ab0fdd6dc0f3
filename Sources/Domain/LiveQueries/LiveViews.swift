/// The JSON of one changed object as subscribers see it, encoded once for all who see the same.
struct LiveViews {
    /// What decides how a caller sees an object.
    private struct Key: Hashable {
        let isMaster: Bool
        let isSelf: Bool
        let returnsACL: Bool
        /// The files of the object that the caller is allowed to read, and whether their verdicts are shown.
        let files: [ObjectID: Bool]
    }

    private let change: LiveChange
    private let schema: ClassSchema
    private let reader: any ReadTransaction
    private let settings: ObjectSettings
    private var row: ObjectRow?
    /// The files to which the object refers, as stored; `nil` until they are read.
    private var files: [ObjectRow]?
    /// The size of what was encoded so far, in bytes.
    private(set) var size = 0
    private var objects: [Key: [UInt8]] = [:]
    private var keys: [Key: [UInt8]] = [:]
    /// The object for callers who are not allowed to read it, and after a deletion.
    private lazy var bare = Array(#"{"objectId":"\#(change.id)"\#(ending)"#.utf8)

    private static let noKeys = Array("[]".utf8)

    init(_ change: LiveChange, in schema: ClassSchema, reader: any ReadTransaction, settings: ObjectSettings) {
        self.change = change
        self.schema = schema
        self.reader = reader
        self.settings = settings
    }

    /// An event of the change.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - subscription: The live query.
    ///   - access: The caller's rights.
    ///   - isReadable: Whether the caller is allowed to read the state after the change.
    /// - Returns: The event.
    /// - Throws: Errors of the reader.
    mutating func event(
        _ kind: LiveEvent.Kind,
        for subscription: LiveSubscription,
        _ access: ObjectAccess,
        isReadable: Bool
    ) throws -> LiveEvent {
        let hasKeys = kind == .update || kind == .enter || kind == .leave
        guard isReadable, let after = change.after else {
            return LiveEvent(kind, of: subscription.id, updatedKeys: hasKeys ? LiveViews.noKeys : nil, object: bare)
        }
        let key = try Key(
            isMaster: access.caller.isMaster,
            isSelf: access.isSelf(change.id, in: schema),
            returnsACL: subscription.returnsACL,
            files: access.caller.isMaster ? [:] : visibleFiles(after, access)
        )
        return LiveEvent(
            kind,
            of: subscription.id,
            updatedKeys: hasKeys ? updatedKeys(key, access) : nil,
            object: try object(after, key, access)
        )
    }

    private mutating func object(_ after: StoredObject, _ key: Key, _ access: ObjectAccess) throws -> [UInt8] {
        if let known = objects[key] { return known }
        let row = row ?? ObjectRow(after)
        self.row = row
        var view = ObjectView.plain
        view.returnsACL = key.returnsACL
        let presenter = ObjectPresenter(
            reader: reader,
            access: access,
            files: settings.files,
            replySize: settings.queries.replySize
        )
        var text = try presenter.object(row, in: schema, view: view).json
        // The object has at least its id, and no field has these names.
        text.removeLast()
        text.append(contentsOf: ending.utf8)
        objects[key] = text
        size += text.count
        return text
    }

    /// JavaScript's SDK makes its own type of a file (protocol/data 8.5).
    private var ending: String {
        let type = change.className == .file ? "File" : "Object"
        return #","__type":"\#(type)","className":"\#(change.className)"}"#
    }

    /// The files of which the caller sees more than pointers: the object itself, or those to which it refers.
    private mutating func visibleFiles(_ after: StoredObject, _ access: ObjectAccess) throws -> [ObjectID: Bool] {
        var visible: [ObjectID: Bool] = [:]
        for file in try shownFiles(after, access) {
            guard schema.name == .file || access.readers.canRead(stored: file.acl) else { continue }
            visible[file.id] =
                access.caller.user != nil
                && settings.files.showsVerdict(about: RawObject(file.body), to: access.caller)
        }
        return visible
    }

    private mutating func shownFiles(_ after: StoredObject, _ access: ObjectAccess) throws -> [ObjectRow] {
        if schema.name == .file {
            let row = row ?? ObjectRow(after)
            self.row = row
            return [row]
        }
        if files == nil { files = try referredFiles(after) }
        guard let files, !files.isEmpty, let schema = try reader.schema(of: .file), access.includes(schema) else {
            return []
        }
        return files
    }

    private func referredFiles(_ after: StoredObject) throws -> [ObjectRow] {
        var ids: Set<ObjectID> = []
        for (name, field) in schema.fields where field.type == .file {
            if let pointer = after.fields[name].flatMap(Pointer.init(stored:)), pointer.className == .file {
                ids.insert(pointer.id)
            }
        }
        guard !ids.isEmpty else { return [] }
        return try reader.rows(ids, in: .file, readableBy: .unrestricted, upTo: settings.queries.replySize)
    }

    private mutating func updatedKeys(_ key: Key, _ access: ObjectAccess) -> [UInt8] {
        if let known = keys[key] { return known }
        let text = JSONValue.array(changedFields(key, access).map(JSONValue.string)).encoded()
        keys[key] = text
        size += text.count
        return text
    }

    /// The names of the fields that differ and that the caller sees, in order.
    private func changedFields(_ key: Key, _ access: ObjectAccess) -> [String] {
        guard let before = change.before, let after = change.after else { return [] }
        var names = Set(before.fields.keys).union(after.fields.keys).filter { name in
            let isVisible = !access.hides(name, in: schema) || key.isSelf && name == AuthData.field
            guard isVisible, !(schema.name.isReserved && name.hasPrefix("_")) else { return false }
            switch (before.fields[name], after.fields[name]) {
            case (let before?, let after?): return !before.isSame(as: after)
            case (nil, nil): return false
            default: return true
            }
        }
        if key.returnsACL, before.acl != after.acl { names.insert("ACL") }
        return names.sorted()
    }
}
