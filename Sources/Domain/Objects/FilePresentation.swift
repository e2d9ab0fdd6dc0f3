/// How an app's file records are shown.
package struct FilePresentation: Sendable {
    /// The base of file URLs, without a slash at its end.
    package let publicURL: String
    /// The name of the app's bucket.
    package let bucket: String

    /// Takes what the app is served under.
    package init(publicURL: String, bucket: String) {
        self.publicURL = publicURL
        self.bucket = bucket
    }

    /// Makes of a record what clients see (file-protocol 4): members that begin with `_` are our own, the URL is made
    /// now from where the files are served.
    func complete(_ record: inout ObjectText) {
        record.removeAll { $0.hasPrefix("_") }
        if let text = record.value("key").flatMap(JSONValue.init(stored:))?.stringValue {
            record.set("url", to: JSONValue.string("\(publicURL)/\(text.percentEncodedPath)").encoded())
        }
        record.set("bucket", toPlain: bucket)
        // The storage behind a file is our own affair; this is the one word that every SDK takes.
        record.set("provider", toPlain: "s3")
    }
}
