internal import ConsoleSite
internal import Crypto
internal import NIOCore

/// A file of the console's site, which is a part of the binary.
struct SiteFile: Sendable {
    let bytes: ByteBuffer
    let type: String
    /// A strong entity tag: the digest of the bytes.
    let tag: String

    /// All files by their paths below `/console/`, such as `scripts/start.js`; the page has the path "".
    static let all: [String: SiteFile] = {
        var count = 0
        guard let first = console_files(&count) else { return [:] }
        var files: [String: SiteFile] = [:]
        for file in UnsafeBufferPointer(start: first, count: count) {
            let path = String(cString: file.path)
            files[path == "index.html" ? "" : path] = SiteFile(
                UnsafeBufferPointer(start: file.bytes, count: file.size),
                path: path
            )
        }
        return files
    }()

    private init(_ bytes: UnsafeBufferPointer<UInt8>, path: String) {
        self.bytes = ByteBuffer(bytes: bytes)
        type = SiteFile.types[String(path.split(separator: ".").last ?? "")] ?? "application/octet-stream"
        let digest = SHA256.hash(data: bytes).prefix(16).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        tag = "\"\(digest.joined())\""
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    ]
}
