internal import Domain

/// Knows which URLs lead to files of one app: those that a watermark may lay over an image (protocol/files 5.6).
struct AppFileResolver: Sendable {
    let bucket: String
    /// What file URLs of the app may begin with.
    let domains: [String]
    /// The host that the request named, which is the server under whatever name the client knows it.
    let host: String?

    /// The key that a URL, `kodo://<bucket>/<key>` or a bare key names; `nil` if it leads elsewhere.
    func key(of text: String) -> FileKey? {
        if let path = text.dropping(prefix: "kodo://\(bucket)/") { return FileKey(path) }
        guard text.contains("://") else { return FileKey(text) }
        for domain in domains {
            if let path = text.dropping(prefix: "\(domain)/") { return key(ofPath: path) }
        }
        guard let host else { return nil }
        for scheme in ["http", "https"] {
            if let path = text.dropping(prefix: "\(scheme)://\(host)/") { return key(ofPath: path) }
        }
        return nil
    }

    private func key(ofPath path: String) -> FileKey? {
        path.prefix { $0 != "?" && $0 != "#" }.percentDecoded.flatMap { FileKey($0) }
    }
}

extension String {
    fileprivate func dropping(prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
