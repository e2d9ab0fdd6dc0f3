internal import Domain

/// The class and ids in a path of the API.
struct ObjectPath {
    let className: ClassName
    /// Several if they are separated by commas; empty if the path names only the class.
    let ids: [ObjectID]

    /// Parses `classes/<Class>/<id>,<id>` and the short forms of built-in classes, without the prefix `/1.1`.
    ///
    /// - Throws: ``ServiceError/Code/routeNotFound`` for other paths, ``ServiceError/Code/invalidClassName``.
    init(_ segments: [Substring]) throws {
        var rest = segments[...]
        guard let first = rest.popFirst() else { throw ObjectPath.unknown }
        if first == "classes" {
            guard let name = rest.popFirst() else { throw ObjectPath.unknown }
            className = try ObjectPath.className(name)
        } else {
            guard let name = ObjectPath.collections[String(first)] else { throw ObjectPath.unknown }
            className = name
        }
        ids = try rest.popFirst().map(ObjectPath.ids) ?? []
        guard rest.isEmpty else { throw ObjectPath.unknown }
    }

    /// The class of a name in a path; `_File` has two further names (protocol/files 3.3).
    static func className(_ text: some StringProtocol) throws -> ClassName {
        ["_file", "files"].contains(text) ? .file : try ClassName(text)
    }

    /// Parses ids separated by commas; a string that is not a valid id becomes an id that no object has.
    ///
    /// It is not dropped: a change of `a-b,<id>` names two objects, and must not change one of them.
    ///
    /// - Throws: ``ServiceError/Code/objectNotFound`` without an id; ``ServiceError/Code/badRequest`` for more ids than
    ///   ``maxIDs``.
    static func ids(_ text: Substring) throws -> [ObjectID] {
        let parts = text.utf8.split(separator: UInt8(ascii: ","))
        guard !parts.isEmpty else { throw ServiceError(.objectNotFound, "Class or object doesn't exists.") }
        guard parts.count <= maxIDs else {
            throw ServiceError(.badRequest, "A path names at most \(maxIDs) objects; this one has \(parts.count) ids.")
        }
        return parts.map { ObjectID(inPath: Substring($0)) }
    }

    /// The maximum number of ids: more than the 3 200 for which a request line has space, because JavaScript deletes all
    /// objects of a list with one path, and fewer than the hundred thousand for which the body of a batch has.
    private static let maxIDs = 4000

    /// Other first segments than `classes`, with their classes (protocol/data 3.1); C# has the last three.
    static let collections: [String: ClassName] = [
        "files": .file, "users": .user, "roles": .role, "installations": .installation, "statuses": .status,
        "followers": .follower, "followees": .followee, "friendshiprequests": .friendshipRequest,
    ]

    /// The error for a path, or for a method that the path does not have.
    static let unknown = ServiceError(.routeNotFound, "There is no such path or method.")
}

/// Decodes commands from single requests and from items of batches.
struct ObjectRequestDecoder {
    let limits: QueryLimits
    let engine: any PatternEngine

    /// A decoder for the items of one batch, whose regular expressions count together.
    func forBatch() -> ObjectRequestDecoder {
        ObjectRequestDecoder(limits: limits, engine: BoundedPatterns(engine, limits))
    }

    /// The command of a method on a path; a missing body and null are an empty object.
    ///
    /// Throws ``ServiceError/Code/routeNotFound`` for methods that the path does not have, and the errors of the
    /// parameters and the body.
    func command(
        _ method: String,
        _ path: ObjectPath,
        _ parameters: ObjectParameters,
        body: JSONValue
    ) throws -> ObjectCommand {
        let body = body == .null ? .object([:]) : body
        return switch (method, path.ids.first) {
        case ("POST", nil):
            ObjectCommand(
                path.className,
                .create(
                    try path.className == .file ? ObjectChange(file: body) : ObjectChange(body, allowsPaths: false),
                    returnsObject: parameters.returnsObject
                ),
                mustExist: parameters.flag("failOnNotExist")
            )
        case ("PUT", let id?) where path.ids.count == 1:
            ObjectCommand(
                path.className,
                .update(
                    id,
                    try ObjectChange(body, allowsPaths: true),
                    where: try parameters.condition(limits, engine),
                    returnsObject: parameters.returnsObject
                )
            )
        case ("DELETE", _?):
            ObjectCommand(path.className, .delete(path.ids, where: try parameters.condition(limits, engine)))
        case ("GET", let id?) where path.ids.count == 1:
            ObjectCommand(path.className, .get(id), view: parameters.view)
        case ("GET", nil):
            ObjectCommand(path.className, .find(try search(parameters)), view: parameters.view)
        default:
            throw ObjectPath.unknown
        }
    }

    /// The query that parameters describe.
    func search(_ parameters: ObjectParameters) throws -> ObjectCommand.Search {
        ObjectCommand.Search(
            where: try parameters.condition(limits, engine) ?? .always,
            order: try SortKey.list(parameters.text("order") ?? ""),
            page: try parameters.page,
            counts: parameters.flag("count"),
            redirectKey: parameters.text("redirectClassNameForKey")
        )
    }
}
