internal import FileClient
internal import FoundationEssentials
internal import Glibc

/// Paths and URLs, one on each line of a text.
package struct PathList: ItemSource {
    private var lines: LineReader
    private let template: FileTemplate

    /// Reads a list.
    ///
    /// - Parameters:
    ///   - descriptor: Open for reading; not closed.
    ///   - template: What the server stores about every file.
    package init(descriptor: CInt, _ template: FileTemplate) {
        lines = LineReader(descriptor: descriptor, name: "the list")
        self.template = template
    }

    /// The file of the next line; empty lines are skipped.
    package mutating func next() throws -> SourceElement<FileItem>? {
        while let line = try lines.next() {
            guard case .text(let text) = line.content else {
                return .unusable(name: "line \(line.number)", reason: line.content.reason)
            }
            if !text.isEmpty { return FileItem.element(at: text, describedBy: template) }
        }
        return nil
    }
}

extension FileItem {
    /// The file at a path or URL.
    static func element(at place: String, describedBy template: FileTemplate) -> SourceElement<FileItem> {
        let name = lastName(of: place)
        guard !isURL(place) else {
            let description = template.description(named: name, path: urlPath(of: place))
            return .item(FileItem(url: place, description))
        }
        var path = place[...]
        while path.hasPrefix("./") || path.hasPrefix("/") { path = path.dropFirst(path.hasPrefix("/") ? 1 : 2) }
        return element(at: place, template.description(named: name, path: String(path)))
    }

    /// The file at a path, with its description.
    static func element(
        at path: String,
        _ description: UploadDescription,
        about: String = ""
    ) -> SourceElement<FileItem> {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return .unusable(name: path, reason: String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return .unusable(name: path, reason: "not a file") }
        return .item(FileItem(path, status, description, about: about))
    }

    /// A file behind a URL.
    init(url: String, _ description: UploadDescription, size: Int64? = nil, about: String = "") {
        name = url
        self.size = size
        fingerprint = url + about
        content = .url(url)
        self.description = description
    }

    static func isURL(_ place: String) -> Bool {
        let start = place.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    /// The name of the file at a path or URL: what follows the last slash, percent-decoded for a URL.
    static func lastName(of place: String) -> String {
        guard isURL(place) else { return place.split(separator: "/").last.map(String.init) ?? place }
        let name = urlPath(of: place).split(separator: "/").last.map(String.init) ?? ""
        return name.isEmpty ? "file" : name
    }

    /// The path of a URL without the slashes at its beginning, percent-decoded.
    ///
    /// A path whose bytes are not UTF-8, such as a file name in GBK, stays encoded, because an import needs a key and a
    /// name. ``FileClient/key(in:)`` is `nil` for it: the encoded path is the key of another file, whose URL has `%25`
    /// for each `%`.
    static func urlPath(of url: String) -> String {
        let path = FileClient.key(in: url) ?? URL(string: url)?.path(percentEncoded: true) ?? ""
        return String(path.drop { $0 == "/" })
    }
}
