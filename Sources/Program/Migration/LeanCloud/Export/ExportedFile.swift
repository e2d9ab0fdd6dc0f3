internal import FileClient
internal import Glibc

/// A record of `_File` in an export.
struct ExportedFile: Sendable {
    private let object: ExportedObject
    private let members: [String: JSON]

    /// - Throws: ``MigrationError`` with the reason for which the row cannot be used.
    init(_ row: [UInt8], at place: String) throws(MigrationError) {
        object = try ExportedObject(row, at: place)
        var members = object.value.members ?? [:]
        // Some exports have the JSON in a string.
        if let text = members["metaData"]?.string {
            guard let value = try? JSON(parsing: Array(text.utf8)), value.members != nil else {
                throw MigrationError("metaData is no JSON object")
            }
            members["metaData"] = value
        }
        if members["metaData"] == .null { members["metaData"] = nil }
        self.members = members
    }

    /// The key; `nil` for a file on another server.
    var key: String? {
        guard members["metaData"]?["__source"]?.string != "external", let key = members["key"]?.string, !key.isEmpty,
            members["url"] == nil || members["bucket"] != .null
        else { return nil }
        return key
    }

    /// The number of bytes; `nil` if the record does not say it.
    var size: Int64? { FileRecord(fields: members).size }

    /// The name of the storage of the old app's files, which begins like its id.
    var bucket: String? { members["bucket"]?.string }

    /// The object that creates the record of a file on another server, or of one whose bytes follow.
    var record: ExportedObject {
        var body = members.filter {
            ["objectId", "createdAt", "updatedAt", "ACL", "name", "mime_type", "metaData"].contains($0.key)
                && $0.value != .null
        }
        if let key { body["key"] = .string(key) } else { body["url"] = members["url"] }
        return ExportedObject(id: object.name, place: object.place, body: JSON.object(body).encoded)
    }

    /// The file to be copied to the server.
    ///
    /// - Parameters:
    ///   - domain: The URL in front of the key; `nil` takes the `url` of the record.
    ///   - folder: The export, whose folder `files` can have the bytes under the key; `nil` for an archive.
    /// - Returns: The file with its URL and description.
    /// - Throws: ``MigrationError`` if nothing says where the bytes are.
    func item(in domain: String?, or folder: String? = nil) throws(MigrationError) -> FileItem {
        guard let key else { throw MigrationError("the file is on another server") }
        var url = members["url"]?.string
        if let domain {
            let path = ExportedFile.segments(of: key)
                .map { FileClient.percentEncoded(String(Substring($0))) }.joined(separator: "/")
            url = domain + (domain.hasSuffix("/") ? "" : "/") + path
        }
        let content: FileItem.Content
        if let local = ExportedFile.localPath(of: key, in: folder) {
            content = .path(local)
        } else if let url, FileItem.isURL(url) {
            content = .url(url)
        } else {
            throw MigrationError("the record has no url; name the old file domain with --file-domain")
        }
        var description = UploadDescription(name: members["name"]?.string ?? FileItem.lastName(of: key))
        description.key = key
        description.objectId = object.name
        description.mimeType = members["mime_type"]?.string
        description.metaData = members["metaData"]
        description.acl = members["ACL"]
        description.createdAt = members["createdAt"]?.string
        description.updatedAt = members["updatedAt"]?.string
        let record = FileRecord(fields: members)
        return FileItem(
            name: object.name,
            size: record.size,
            fingerprint: object.fingerprint,
            content: content,
            description: description,
            expected: record
        )
    }
}

extension ExportedFile {
    /// The path of the bytes of a key below an export; `nil` for a key that could lead out of it.
    static func path(of key: String, in folder: String) -> String? {
        let isPath = segments(of: key).allSatisfy { segment in
            1...255 ~= segment.count && !segment.elementsEqual(".".utf8) && !segment.elementsEqual("..".utf8)
                && !segment.contains(0)
        }
        return isPath ? "\(folder)/files/\(key)" : nil
    }

    /// The folders and the name in a key, also empty ones.
    ///
    /// By bytes, as the file system separates them: a slash before a combining mark is another character for Swift.
    private static func segments(of key: String) -> [Substring.UTF8View] {
        key.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }

    /// The folders above the bytes of a key below an export, the outermost first.
    static func folders(of key: String, in folder: String) -> [String] {
        var path = folder + "/files"
        var found = [path]
        for segment in segments(of: key).dropLast() {
            path += "/" + String(Substring(segment))
            found.append(path)
        }
        return found
    }

    private static func localPath(of key: String, in folder: String?) -> String? {
        guard let folder, let path = path(of: key, in: folder), isNode(path, S_IFREG),
            // A link in a hostile export could lead to any file of this machine.
            folders(of: key, in: folder).allSatisfy({ isNode($0, S_IFDIR) })
        else { return nil }
        return path
    }

    /// Whether there is a node of a type at a path; a link is not followed.
    private static func isNode(_ path: String, _ type: mode_t) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == type
    }
}

/// The files of an export whose bytes are copied.
struct ExportFileItems: ItemSource {
    private var rows: ExportRows
    private let domain: String?
    private let folder: String

    init(_ export: Export, domain: String?) throws {
        folder = export.path
        rows = try ExportRows(export) { $0 == .objects(className: "_File") }
        self.domain = domain
    }

    mutating func next() throws -> SourceElement<FileItem>? {
        while let row = try rows.next() {
            do {
                let file = try ExportedFile(try row.content.get(), at: row.place)
                if file.key != nil { return .item(try file.item(in: domain, or: folder)) }
            } catch {
                return .unusable(name: row.place, reason: "\(error)")
            }
        }
        return nil
    }
}

/// The files of an export that are records only: those on other servers, and those whose bytes a mirror fetches later.
struct ExportFileRecords: ItemSource {
    private var rows: ExportRows
    private let includesInternal: Bool

    init(_ export: Export, includingInternal: Bool) throws {
        rows = try ExportRows(export) { $0 == .objects(className: "_File") }
        includesInternal = includingInternal
    }

    mutating func next() throws -> SourceElement<ExportedObject>? {
        while let row = try rows.next() {
            do {
                let file = try ExportedFile(try row.content.get(), at: row.place)
                if file.key == nil || includesInternal { return .item(file.record) }
            } catch {
                // Reported with the files whose bytes are copied, unless these are left out.
                guard includesInternal else { continue }
                return .unusable(name: row.place, reason: "\(error)")
            }
        }
        return nil
    }
}
