internal import FileClient

/// What one file of an export contains, as its name says.
///
/// LeanCloud does not document the names. These are known from exports and scripts: `Post.jsonl`, `Post.0.jsonl`,
/// `Post_all.json`, `Post_schema.json`, each perhaps with `.gz`. For relations this is lcfile's choice:
/// `_Join:likes:Post.jsonl` with lines `{"owningId":…,"relatedId":…}`, as LeanCloud's own import takes them.
///
/// `lcfile export` writes objects to `.jsonl` only, under the whole name of the class. So the endings `_all` and
/// `_schema` have a meaning in `.json` only: classes can be called `Post_all` and `Post_schema`.
enum ExportPart: Sendable, Hashable {
    /// Objects of a class.
    case objects(className: String)
    /// The fields of a class, as `GET /1.1/schemas/<Class>` shows them.
    case schema(className: String)
    /// Pairs of objects of a relation.
    case join(field: String, className: String)
    /// The permissions of all classes, as `lcfile export` writes them.
    case permissions
    /// The indexes of all classes, as `lcfile export` writes them.
    case indexes

    /// The part behind a file's path; `nil` for files that belong to no export.
    ///
    /// - Parameters:
    ///   - path: The path in the export.
    ///   - hasSchema: Whether the export has the schema of a class; a class with a schema has its whole name, also if it
    ///     ends in `_all`.
    init?(path: String, hasSchema: (_ className: String) -> Bool = { _ in false }) {
        var name = path.split(separator: "/").last.map(String.init) ?? path
        guard !name.hasPrefix("."), !path.split(separator: "/").contains("files") else { return nil }
        if name.hasSuffix(".gz") { name.removeLast(3) }
        guard let ending = [".jsonl", ".json"].first(where: { name.hasSuffix($0) }) else { return nil }
        name.removeLast(ending.count)
        let isLines = ending == ".jsonl"
        func className(_ name: String) -> String {
            let name = ExportPart.withoutNumber(name)
            guard !isLines, name.hasSuffix("_all"), !hasSchema(name) else { return name }
            return String(name.dropLast(4))
        }
        switch name {
        case "_permissions" where !isLines: self = .permissions
        case "_indexes" where !isLines: self = .indexes
        default:
            if name.hasPrefix("_Join:") {
                let words = name.split(separator: ":", omittingEmptySubsequences: false)
                guard words.count == 3, !words[1].isEmpty, !words[2].isEmpty else { return nil }
                self = .join(field: String(words[1]), className: className(String(words[2])))
            } else if !isLines, name.hasSuffix("_schema") {
                self = .schema(className: String(name.dropLast("_schema".count)))
            } else {
                self = .objects(className: className(name))
            }
        }
    }

    /// The names that mean `_File` in paths of the API (docs/http-api.md#file-records).
    static let aliasesOfFile = ["_file", "files"]

    /// The class to which the objects or the members of a relation belong; `nil` for other parts.
    var className: String? {
        switch self {
        case .objects(let name), .join(_, let name): name
        case .schema, .permissions, .indexes: nil
        }
    }

    /// The class of the objects in the part that has this first line; the name of the file counts without one.
    func naming(_ className: String) -> ExportPart {
        if case .objects = self { .objects(className: className) } else { self }
    }

    /// The class in `#filetype:JSON-streaming {"type":"Class","class":"Post"}`; `nil` in another line.
    static func className(inFirstLine line: some Collection<UInt8>) -> String? {
        guard line.starts(with: "#filetype".utf8), let start = line.firstIndex(of: UInt8(ascii: "{")),
            let description = try? JSON(parsing: Array(line[start...]))
        else { return nil }
        return description["class"]?.string
    }

    /// The name without the number of a part.
    private static func withoutNumber(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), name[name.index(after: dot)...].allSatisfy(\.isASCIIDigit) else {
            return name
        }
        return String(name[..<dot])
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
