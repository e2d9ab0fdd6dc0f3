/// The JSON of one changed object as subscribers see it, encoded once for all who see the same.
struct LiveViews {
    /// What decides how a caller sees an object.
    private struct Key: Hashable {
        let isMaster: Bool
        let isSelf: Bool
        let returnsACL: Bool
        /// The ACL entries of the caller, where files are shown.
        let readers: Subjects?
    }

    private let change: LiveChange
    private let schema: ClassSchema
    private let reader: any ReadTransaction
    private let settings: ObjectSettings
    /// Whether what is shown depends on the caller's right to read files.
    private let showsFiles: Bool
    private var row: ObjectRow?
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
        showsFiles = schema.name == .file || schema.fields.values.contains { $0.type == .file }
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
        let key = Key(
            isMaster: access.caller.isMaster,
            isSelf: access.isSelf(change.id, in: schema),
            returnsACL: subscription.returnsACL,
            readers: showsFiles && !access.caller.isMaster ? access.caller.subjects : nil
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
        return text
    }

    private var ending: String { #","__type":"Object","className":"\#(change.className)"}"# }

    private mutating func updatedKeys(_ key: Key, _ access: ObjectAccess) -> [UInt8] {
        if let known = keys[key] { return known }
        let text = JSONValue.array(changedFields(key, access).map(JSONValue.string)).encoded()
        keys[key] = text
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
