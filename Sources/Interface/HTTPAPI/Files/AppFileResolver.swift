internal import Domain

/// Resolves URLs to files of one app, which a watermark is allowed to use (protocol/files 5.6).
struct AppFileResolver: Sendable {
    let bucket: String
    /// The possible beginnings of the app's file URLs.
    let domains: [String]
    /// The host of the request, which is a name of this server.
    let host: String?

    /// The key that a URL, `kodo://<bucket>/<key>` or a bare key names; `nil` for other servers and apps.
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
