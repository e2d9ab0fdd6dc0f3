internal import FileClient

/// An export of a LeanCloud app: a folder, an archive, or one file.
package struct Export: Sendable {
    /// The folder, archive or file.
    package let path: String
    /// What each file contains, by its path in the export.
    let parts: [String: ExportPart]
    /// The fields of classes by their names, as far as the export has them; each an object of attributes.
    let schemas: [String: [String: JSON]]
    /// The permissions of classes by their names, each an object of operations; empty if the export has none.
    let permissions: [String: JSON]
    /// The indexes of classes by their names, each an array; empty if the export has none.
    let indexes: [String: JSON]
    /// Files that cannot be used, with their reasons.
    package let unusable: [(name: String, reason: String)]

    /// Reads which classes an export has.
    ///
    /// An archive is read to its end. Blocks the thread.
    ///
    /// - Throws: ``MigrationError`` if it cannot be read or has no class.
    package init(_ path: String) throws {
        self.path = path
        var contents = Contents()
        var files = try ExportFiles(path) { ExportPart(path: $0) != nil }
        while let file = try files.next() { try contents.add(file) }
        contents.applySchemasToNames()
        contents.refuseAliasesOfFile()
        guard !contents.parts.isEmpty || !contents.unusable.isEmpty else {
            throw MigrationError(
                "\(path) is no export: it has no file such as Post.jsonl, Post.0.jsonl.gz or Post_all.json"
            )
        }
        parts = contents.parts
        schemas = contents.schemas
        permissions = contents.permissions
        indexes = contents.indexes
        unusable = contents.unusable
    }

    /// The classes whose objects or fields the export has, in the order in which they are imported: what others refer
    /// to comes first.
    package var classNames: [String] {
        var names = Set(schemas.keys)
        for case .objects(let name) in parts.values { names.insert(name) }
        let first = ["_File", "_User", "_Role"]
        return first.filter(names.contains) + names.subtracting(first).sorted()
    }

    /// The relations, by class and field.
    var joins: [(className: String, field: String)] {
        let found = parts.values.compactMap { part -> Join? in
            if case .join(let field, let name) = part { Join(className: name, field: field) } else { nil }
        }
        return Set(found).sorted { ($0.className, $0.field) < ($1.className, $1.field) }
            .map { ($0.className, $0.field) }
    }

    private struct Join: Hashable {
        let className: String
        let field: String
    }
}

/// What the first pass over an export finds.
private struct Contents {
    /// The maximum number of bytes of a schema.
    static let schemaLimit = 16 << 20

    var parts: [String: ExportPart] = [:]
    var schemas: [String: [String: JSON]] = [:]
    var permissions: [String: JSON] = [:]
    var indexes: [String: JSON] = [:]
    var unusable: [(name: String, reason: String)] = []
    /// The files whose names say their class, and not their first line.
    var unnamed: [String] = []

    mutating func add(_ file: ExportFiles.File) throws {
        guard let part = ExportPart(path: file.path) else { return }
        var bytes = file.bytes
        switch part {
        case .objects, .join:
            if try bytes.peek(2).elementsEqual([0xFF, 0xFE]) || bytes.peek(2).elementsEqual([0xFE, 0xFF]) {
                unusable.append((file.path, "the file is UTF-16; convert it to UTF-8"))
                return
            }
            var elements = ElementReader(bytes, path: file.path)
            let name = try elements.firstLine().flatMap { ExportPart.className(inFirstLine: $0) }
            parts[file.path] = name.map(part.naming) ?? part
            if name == nil { unnamed.append(file.path) }
        case .schema(let name):
            guard let members = try value(&bytes, file.path)?.members else { return }
            // Some exports have the class around its fields.
            let fields = members.count == 1 ? members[name]?.members ?? members : members
            schemas[name] = fields
        case .permissions: permissions = try value(&bytes, file.path)?.members ?? [:]
        case .indexes: indexes = try value(&bytes, file.path)?.members ?? [:]
        }
    }

    /// Gives files the classes that their names say, when all schemas are known.
    mutating func applySchemasToNames() {
        let schemas = schemas
        for path in unnamed { parts[path] = ExportPart(path: path) { schemas[$0] != nil } }
    }

    /// Moves the files of classes whose names are aliases of `_File` in the API to the unusable ones.
    ///
    /// The server would create a file for each of their objects, and drop its fields.
    mutating func refuseAliasesOfFile() {
        for (path, part) in parts.sorted(by: { $0.key < $1.key }) {
            guard let name = part.className, ExportPart.aliasesOfFile.contains(name) else { continue }
            parts[path] = nil
            unusable.append((path, Contents.aliasReason(name)))
        }
        for name in ExportPart.aliasesOfFile {
            if schemas.removeValue(forKey: name) != nil {
                unusable.append(("\(name)_schema.json", Contents.aliasReason(name)))
            }
            permissions[name] = nil
            indexes[name] = nil
        }
    }

    private static func aliasReason(_ name: String) -> String {
        "the API takes the class '\(name)' for _File; give the class another name"
    }

    private mutating func value(_ bytes: inout ByteReader, _ path: String) throws -> JSON? {
        if try bytes.peek(3).elementsEqual([0xEF, 0xBB, 0xBF]) { bytes.skip(3) }
        do {
            return try JSON(parsing: try bytes.value(limit: Contents.schemaLimit).bytes)
        } catch let fault as JSONFault {
            unusable.append((path, "\(fault)"))
            return nil
        }
    }
}
