/// How images are made, for all apps of a server; each is a setting.
package struct ImageSettings: Sendable {
    /// What sources, results and jobs are held to.
    package var limits = ImageLimits()
    /// What counts more: time or likeness (`images.quality`).
    package var effort = ImageEffort.fast
    /// Whether EXIF's `Copyright` and `Artist` are retained (`images.keepCopyright`).
    package var keepsCopyright = false
    /// The longer side of the pre-scaled copies, from which small derivatives are rendered, in pixels; 0 for none
    /// (`images.mezzanine`).
    package var preScaledSide = 0

    /// Every setting at its default.
    package init() {}

    /// Raised whenever the same request results in other bytes: derivatives of earlier releases are then rendered
    /// again.
    private static let release = 2

    /// What decides, beside the source and the request, which bytes are made: part of each derivative's name.
    ///
    /// The limits on results are part of it: an operator that ignores errors is passed over if it breaks them, and what
    /// is too long and thin for them is cut before it is scaled.
    var signature: String {
        let parts = [
            ImageSettings.release, limits.frames, limits.animationPixels, limits.resultSide, limits.resultPixels,
            preScaledSide,
        ]
        return parts.map(String.init).joined(separator: "/")
            + "/\(effort.rawValue)\(keepsCopyright ? "/copyright" : "")"
    }
}

/// What an app's URLs may say beyond Qiniu's grammar; each is a setting of the app.
package struct ImageNames: Sendable {
    /// Chains by their names (`apps[].styles`).
    package var styles: [String: String]
    /// What stands between a key and a style's name (`apps[].styleSeparator`).
    package var separator: Character
    /// Formats that are chosen if a client takes them and the URL says none, best first (`apps[].autoFormats`).
    package var automatic: [ImageFormat]

    /// Takes the settings of an app; by default there are no styles and no automatic formats.
    package init(styles: [String: String] = [:], separator: Character = "-", automatic: [ImageFormat] = []) {
        self.styles = styles
        self.separator = separator
        self.automatic = automatic
    }

    /// The key and the chain that a styled path stands for; `nil` if it ends with no style.
    package func style(of path: String) -> (key: String, chain: String)? {
        guard !styles.isEmpty, let end = path.lastIndex(of: separator) else { return nil }
        return styles[String(path[path.index(after: end)...])].map { (String(path[..<end]), $0) }
    }
}
