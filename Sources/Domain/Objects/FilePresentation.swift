/// How an app's file records are shown.
package struct FilePresentation: Sendable {
    /// What file URLs begin with, without a slash at its end: the first of the app's file domains.
    package let publicURL: String
    /// The name of the app's bucket.
    package let bucket: String

    /// Takes what the app is served under.
    package init(publicURL: String, bucket: String) {
        self.publicURL = publicURL
        self.bucket = bucket
    }

    /// Makes of a record what clients see (protocol/files 4).
    ///
    /// Members that begin with `_` are our own, the URL is made now from where the files are served. A file that lies
    /// elsewhere has its own URL, and neither bucket nor provider.
    func complete(_ record: inout RawObject, showingURL: Bool = true) {
        record.removeAll { $0.hasPrefix("_") }
        guard let text = record.value("key").flatMap(JSONValue.init(stored:))?.stringValue else { return }
        if showingURL { record.set("url", to: JSONValue.string(url(ofKey: text)).encoded()) }
        record.set("bucket", toPlain: bucket)
        // The storage behind a file is internal; this is the only value that every SDK accepts.
        record.set("provider", toPlain: "s3")
    }

    /// Where the file under a key is served.
    package func url(of key: FileKey) -> String {
        url(ofKey: key.description)
    }

    private func url(ofKey key: String) -> String {
        "\(publicURL)/\(key.percentEncodedPath)"
    }
}
