internal import Domain

extension MediaType {
    /// Whether a browser that opens the file as a page only displays it and runs no scripts.
    ///
    /// All other types (HTML, SVG, XML, scripts, unknown types) are served in a sandbox without scripts and without the
    /// server's origin; `nosniff` makes the browser use the declared type. docs/security.md explains the reasons.
    var isPassive: Bool {
        // Every type of XML can have scripts, also `image/…+xml`.
        guard !description.hasSuffix("+xml") else { return false }
        return switch topLevel {
        case "audio", "video", "font", "image": true
        default: MediaType.passive.contains(description)
        }
    }

    private static let passive: Set<String> = [
        "application/gzip", "application/json", "application/octet-stream", "application/pdf",
        "application/zip", "text/csv", "text/plain",
    ]
}
