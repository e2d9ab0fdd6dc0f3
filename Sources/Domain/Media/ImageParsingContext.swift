/// The context for parsing the operators of an image URL: limits, the app's files, the file that the URL names.
package struct ImageParsingContext: Sendable {
    /// The limits on numbers and lengths.
    package var limits: ImageLimits
    /// Resolves the image of a watermark (a URL, `kodo://<bucket>/<key>` or a key) to a key of the same app; `nil`
    /// refuses it.
    package var ownKey: @Sendable (String) -> FileKey?
    /// The source's size in bytes, the value of `$(fsize)`.
    package var fileSize: Int64

    /// Creates a context.
    package init(limits: ImageLimits, ownKey: @escaping @Sendable (String) -> FileKey?, fileSize: Int64) {
        self.limits = limits
        self.ownKey = ownKey
        self.fileSize = fileSize
    }
}
