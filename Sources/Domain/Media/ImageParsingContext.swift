/// The context for parsing the operators of an image URL: limits, the app's files, the file that the URL names.
package struct ImageParsingContext: Sendable {
    /// What numbers and lengths are held to.
    package var limits: ImageLimits
    /// Turns what a watermark says of an image (a URL, `kodo://<bucket>/<key>`, a bare key) into a key of the same app;
    /// `nil` means that it is refused.
    package var ownKey: @Sendable (String) -> FileKey?
    /// The source's size in bytes: what `$(fsize)` stands for.
    package var fileSize: Int64

    /// Takes all three.
    package init(limits: ImageLimits, ownKey: @escaping @Sendable (String) -> FileKey?, fileSize: Int64) {
        self.limits = limits
        self.ownKey = ownKey
        self.fileSize = fileSize
    }
}
