internal import FileClient
internal import FoundationEssentials

/// A list of files with what the server stores about each: JSON Lines, or CSV with a line of names.
///
/// Members of a row: `path` or `url`, and `name`, `mime_type`, `metaData`, `ACL`, `key`, `objectId`, `createdAt`. In CSV,
/// `metaData` and `ACL` are JSON in a cell, and an empty cell counts as missing. Relative paths begin at the folder of
/// the manifest.
package struct FileManifest: ItemSource {
    private enum Rows {
        case json(LineReader)
        case csv(CSVRows, names: [String])
    }

    private let folder: String
    private let template: FileTemplate
    private var rows: Rows
    private let file: ReadFile

    /// Opens a manifest; a name that ends in `.csv` makes it CSV.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - template: What the server stores about files for which a row says nothing else.
    /// - Throws: ``MigrationError`` if it cannot be read or its line of names cannot be used.
    package init(_ path: String, _ template: FileTemplate) throws {
        file = try ReadFile(path)
        self.template = template
        folder = path.contains("/") ? String(path[...(path.lastIndex(of: "/") ?? path.startIndex)]) : ""
        guard path.lowercased().hasSuffix(".csv") else {
            rows = .json(LineReader(descriptor: file.descriptor, name: path))
            return
        }
        var csv = CSVRows(descriptor: file.descriptor, name: path)
        guard let first = try csv.next(), case .cells(let names) = first.content else {
            throw MigrationError("\(path) has no line of names")
        }
        if let unknown = names.first(where: { !ManifestRow.names.contains($0) }) {
            throw MigrationError(
                "\(path) has the unknown column '\(unknown)'; known are \(ManifestRow.names.joined(separator: ", "))"
            )
        }
        guard names.contains("path") || names.contains("url") else {
            throw MigrationError("\(path) has neither a column 'path' nor 'url'")
        }
        rows = .csv(csv, names: names)
    }

    /// The file of the next row.
    package mutating func next() throws -> SourceElement<FileItem>? {
        while let (line, row) = try nextRow() {
            do {
                if let row { return try row.element(in: folder, template) }
            } catch {
                return .unusable(name: "line \(line)", reason: "\(error)")
            }
        }
        return nil
    }

    /// The next row and the number of its first line; the row is `nil` for an empty line.
    private mutating func nextRow() throws -> (line: Int, row: ManifestRow?)? {
        switch rows {
        case .json(var lines):
            defer { rows = .json(lines) }
            guard let line = try lines.next() else { return nil }
            guard case .text(let text) = line.content else { return (line.number, .unusable(line.content.reason)) }
            return (line.number, text.allSatisfy(\.isWhitespace) ? nil : ManifestRow(json: text))
        case .csv(var csv, let names):
            defer { rows = .csv(csv, names: names) }
            guard let record = try csv.next() else { return nil }
            switch record.content {
            case .cells([""]): return (record.line, nil)
            case .cells(let cells): return (record.line, ManifestRow(cells, names))
            case .unusable(let reason): return (record.line, .unusable(reason))
            }
        }
    }
}

/// One row of a manifest.
private enum ManifestRow {
    static let names = ["path", "url", "name", "mime_type", "metaData", "ACL", "key", "objectId", "createdAt"]

    case members([String: JSON])
    case unusable(String)

    init(json text: String) {
        guard case .object(let members) = try? JSON(parsing: text) else {
            self = .unusable("the line is not a JSON object")
            return
        }
        if let unknown = members.keys.sorted().first(where: { !ManifestRow.names.contains($0) }) {
            self = .unusable("unknown member '\(unknown)'; known are \(ManifestRow.names.joined(separator: ", "))")
            return
        }
        self = .members(members.filter { $0.value != .null })
    }

    init(_ cells: [String], _ names: [String]) {
        guard cells.count == names.count else {
            self = .unusable("\(cells.count) cells instead of \(names.count)")
            return
        }
        var members: [String: JSON] = [:]
        for (name, cell) in zip(names, cells) where !cell.isEmpty {
            guard ["metaData", "ACL"].contains(name) else {
                members[name] = .string(cell)
                continue
            }
            guard let value = try? JSON(parsing: cell) else {
                self = .unusable("\(name) is not JSON")
                return
            }
            members[name] = value
        }
        self = .members(members)
    }

    func element(in folder: String, _ template: FileTemplate) throws -> SourceElement<FileItem> {
        switch self {
        case .unusable(let reason): throw MigrationError(reason)
        case .members(let members): return try ManifestRow.element(members, in: folder, template)
        }
    }

    private static func element(
        _ members: [String: JSON],
        in folder: String,
        _ template: FileTemplate
    ) throws -> SourceElement<FileItem> {
        func text(_ name: String) throws -> String? {
            guard let value = members[name] else { return nil }
            guard case .string(let text) = value, !text.isEmpty else {
                throw MigrationError("\(name) must be a string")
            }
            return text
        }
        func object(_ name: String) throws -> JSON? {
            guard let value = members[name] else { return nil }
            guard case .object = value else { throw MigrationError("\(name) must be an object") }
            return value
        }
        let (path, url) = (try text("path"), try text("url"))
        guard (path == nil) != (url == nil), let place = path ?? url else {
            throw MigrationError("a row needs either path or url")
        }
        guard url == nil || FileItem.isURL(place) else {
            throw MigrationError("url must begin with http:// or https://")
        }
        let name = try text("name") ?? FileItem.lastName(of: place)
        var description = template.description(named: name, path: path ?? name)
        if let key = try text("key") { (description.key, description.keyPrefix) = (key, nil) }
        description.mimeType = try text("mime_type") ?? description.mimeType
        description.metaData = try object("metaData") ?? description.metaData
        description.acl = try object("ACL") ?? description.acl
        if let id = try text("objectId") {
            try NameRules.requireObjectID(id)
            description.objectId = id
        }
        description.createdAt = try text("createdAt")
        let about = " " + JSON.object(members).description
        guard url == nil else { return .item(FileItem(url: place, description, about: about)) }
        return FileItem.element(at: place.hasPrefix("/") ? place : folder + place, description, about: about)
    }
}
