/// The parts of an object that a reply shows: `include`, `keys`, `returnACL` (protocol/data 4.4).
package struct ObjectView: Sendable {
    /// The pointers to replace by their objects.
    package var include: PathTree
    /// The fields to show; empty shows all.
    package var keys: PathTree
    /// The fields to leave out.
    package var hidden: Set<String>
    /// The members to leave out inside fields and included objects.
    private var hiddenMembers: PathTree
    /// The fields that are shown regardless of ``keys``.
    private var always = ObjectView.always
    /// Whether the ACL is shown.
    package var returnsACL: Bool
    /// Whether internal files are shown without their URL.
    var hidesFileURLs = false

    /// The default view: all fields, no included objects.
    package static let plain = ObjectView(include: "", keys: "", returnsACL: false)

    /// Parses the comma-separated lists of a query.
    ///
    /// Names that no field can have are ignored: SDKs include missing fields (protocol/data 4.4).
    package init(include: String, keys: String, returnsACL: Bool) {
        let names = ObjectView.names(in: keys)
        self.include = PathTree(ObjectView.names(in: include), depth: 5)
        self.keys = PathTree(names.filter { !$0.hasPrefix("-") }, depth: FieldPath.maxDepth)
        let hidden = Set(names.filter { $0.hasPrefix("-") }.map { String($0.dropFirst()) })
        self.hidden = hidden
        hiddenMembers = PathTree(ObjectView.dotted(hidden), depth: FieldPath.maxDepth)
        self.returnsACL = returnsACL
    }

    /// The names of a list; names of members can have spaces inside.
    private static func names(in list: String) -> [String] {
        list.split(separator: ",").prefix(maxNames).map { String($0.trimmed) }
    }

    /// The hidden names that lead inside a field, without those inside another hidden name.
    private static func dotted(_ hidden: Set<String>) -> [String] {
        let dotted = hidden.filter { name in
            let parts = name.split(separator: ".")
            guard (2...FieldPath.maxDepth).contains(parts.count) else { return false }
            return !(1..<parts.count).contains { hidden.contains(parts.prefix($0).joined(separator: ".")) }
        }
        return Array(dotted)
    }

    /// The maximum number of names that are read from a list: more than the default limit of a class's fields.
    private static let maxNames = 1000

    /// Whether objects are shown with all fields and without additions.
    var isPlain: Bool { include.isEmpty && !isSelective && !returnsACL && !hidesFileURLs }

    /// Whether parts of an object can be left out.
    var isSelective: Bool { !keys.isEmpty || !hidden.isEmpty || !hiddenMembers.isEmpty }

    /// Whether a field is shown at all.
    func shows(_ field: String) -> Bool {
        (keys.isEmpty || keys[field] != nil || always.contains(field)) && !hidden.contains(field)
    }

    /// Removes what the view does not show of an object whose pointers are not expanded.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - others: Fields that stay even if the view does not show them.
    func select(from object: inout RawObject, keeping others: Set<String> = []) {
        object.removeAll { !shows($0) && !others.contains($0) }
        for (name, below) in keys.children where !below.isEmpty {
            replace(name, in: &object) { below.selection(from: $0) }
        }
        for (name, below) in hiddenMembers.children where !below.isEmpty {
            replace(name, in: &object) { below.removal(from: $0) }
        }
    }

    /// Replaces a field by a part of it.
    private func replace(_ name: String, in object: inout RawObject, by part: (JSONValue) -> JSONValue) {
        // A pointer stays whole; another view shows its object.
        guard let text = object.value(name), Pointer(canonical: text) == nil else { return }
        object.set(name, to: part(JSONValue(stored: text) ?? .null).encoded())
    }

    /// What a query reads of the objects that the view shows; `nil` if that is all.
    ///
    /// - Parameter others: Fields that are read even if the view does not show them.
    /// - Returns: The projection.
    func projection(keeping others: Set<String>) -> RowProjection? {
        guard isSelective else { return nil }
        return RowProjection { select(from: &$0, keeping: others) }
    }

    /// The view of the objects that are included under a name.
    func below(_ name: String) -> ObjectView {
        var view = ObjectView.plain
        view.include = include[name] ?? PathTree()
        view.keys = keys[name] ?? PathTree()
        view.hiddenMembers = hiddenMembers[name] ?? PathTree()
        view.hidden = view.hiddenMembers.leaves.subtracting(ObjectView.identifying)
        return view
    }

    /// The view for files that are included in place of other objects.
    var ofFiles: ObjectView {
        var view = self
        view.always = ObjectView.alwaysOfFiles
        view.hidden.subtract(ObjectView.identifyingFiles)
        return view
    }

    /// The fields that are shown regardless of `keys`.
    fileprivate static let always: Set<String> = [
        "objectId", "createdAt", "updatedAt", "__type", "className", "ACL",
    ]

    /// The same of a file in a field: SDKs fail on one without a name or a URL (protocol/files 4.1).
    fileprivate static let alwaysOfFiles: Set<String> = always.union(["name", "url"])

    /// The members of an included object that cannot be left out: without them it is no object for SDKs.
    fileprivate static let identifying: Set<String> = ["objectId", "__type", "className"]

    /// The same of a file.
    fileprivate static let identifyingFiles: Set<String> = identifying.union(["name", "url"])
}

/// Dotted names as a tree: `a`, `a.b`, `c.d` are `a` with `b`, and `c` with `d`.
package struct PathTree: Sendable {
    fileprivate private(set) var children: [String: PathTree] = [:]

    /// Creates a tree without names.
    init() {}

    init(_ names: [String], depth: Int) {
        for name in names {
            insert(name.split(separator: ".").prefix(depth).map(String.init)[...])
        }
    }

    /// Whether the tree has no names.
    package var isEmpty: Bool { children.isEmpty }

    /// The names of the first level, in order.
    var names: [String] { children.keys.sorted() }

    /// The names of the first level that have no subtree.
    fileprivate var leaves: Set<String> { Set(children.lazy.filter(\.value.isEmpty).map(\.key)) }

    /// The subtree of a name of the first level; `nil` if it is not in the tree.
    subscript(name: String) -> PathTree? { children[name] }

    private mutating func insert(_ path: ArraySlice<String>) {
        guard let first = path.first else { return }
        children[first, default: PathTree()].insert(path.dropFirst())
    }

    fileprivate func selection(from value: JSONValue) -> JSONValue {
        guard !isEmpty else { return value }
        switch value {
        case .array(let elements):
            return .array(elements.map(selection(from:)))
        case .object(let members):
            let always = members["__type"] == "File" ? ObjectView.alwaysOfFiles : ObjectView.always
            let kept = members.filter { children[$0.key] != nil || always.contains($0.key) }
            return .object(kept.mapMembers { children[$0]?.selection(from: $1) ?? $1 })
        default:
            return value
        }
    }

    /// The value without the members that the leaves of the tree name, in plain objects, included objects and arrays of
    /// them.
    fileprivate func removal(from value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements):
            return .array(elements.map(removal(from:)))
        case .object(let members):
            let identifying: Set<String>
            switch members["__type"]?.stringValue {
            case nil: identifying = []
            case "Pointer", "Object": identifying = ObjectView.identifying
            case "File": identifying = ObjectView.identifyingFiles
            // A date, for example, is one value.
            default: return value
            }
            // In time proportional to the members, however many names a client hides.
            guard members.keys.contains(where: { children[$0] != nil }) else { return value }
            var rest: [String: JSONValue] = [:]
            for (name, member) in members {
                if let below = children[name], !identifying.contains(name) {
                    if !below.isEmpty { rest[name] = below.removal(from: member) }
                } else {
                    rest[name] = member
                }
            }
            return .object(rest)
        default:
            return value
        }
    }
}

extension [String: JSONValue] {
    fileprivate func mapMembers(_ change: (String, JSONValue) -> JSONValue) -> [String: JSONValue] {
        var result = self
        for (name, value) in self { result[name] = change(name, value) }
        return result
    }
}
