internal import Domain

extension MediaType {
    /// Whether a browser that opens the file as a page only shows it, and runs nothing.
    ///
    /// Everything else (HTML, SVG, XML, scripts, unknown types) is served in a sandbox without scripts and without our
    /// origin; `nosniff` makes the browser believe the type. docs/security.md has the whole argument.
    var isPassive: Bool {
        switch topLevel {
        case "audio", "video", "font": true
        case "image": description != "image/svg+xml"
        default: MediaType.passive.contains(description)
        }
    }

    private static let passive: Set<String> = [
        "application/gzip", "application/json", "application/octet-stream", "application/pdf",
        "application/zip", "text/csv", "text/plain",
    ]
}
