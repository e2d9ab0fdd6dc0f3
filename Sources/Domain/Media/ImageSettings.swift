/// The settings for rendering images, for all apps of a server.
package struct ImageSettings: Sendable {
    /// The limits on sources, results and jobs.
    package var limits = ImageLimits()
    /// The priority of speed or fidelity (`images.quality`).
    package var effort = ImageEffort.fast
    /// Whether the EXIF fields `Copyright` and `Artist` are retained (`images.keepCopyright`).
    package var keepsCopyright = false
    /// The longer side of pre-scaled copies, from which small derivatives are rendered, in pixels; 0 for no copies
    /// (`images.mezzanine`).
    package var preScaledSide = 0

    /// Creates settings with the defaults.
    package init() {}

    /// Increased whenever the same request results in other bytes: derivatives of earlier releases are then rendered
    /// again.
    private static let release = 3

    /// The settings on which the bytes of a derivative depend; part of each derivative's name.
    ///
    /// It includes the limits on results: an operator that ignores errors is skipped if it exceeds them, and an image
    /// too long and thin for them is cropped before it is scaled. It does not include the limits on memory and work,
    /// which only decide which of the formats that the client accepts a result has.
    var signature: String {
        let parts = [
            ImageSettings.release, limits.frames, limits.animationPixels, limits.resultSide, limits.resultPixels,
            preScaledSide,
        ]
        return parts.map(String.init).joined(separator: "/")
            + "/\(effort.rawValue)\(keepsCopyright ? "/rights" : "")"
    }
}

/// The names and formats of an app's image URLs beyond Qiniu's grammar; each is a setting of the app.
package struct ImageNames: Sendable {
    /// Chains by their names (`apps[].styles`).
    package var styles: [String: String]
    /// The character between a key and a style's name (`apps[].styleSeparator`).
    package var separator: Character
    /// Formats that are used if the client accepts them and the URL names none, best first (`apps[].autoFormats`).
    package var automatic: [ImageFormat]

    /// Creates the settings of an app; by default there are no styles and no automatic formats.
    package init(styles: [String: String] = [:], separator: Character = "-", automatic: [ImageFormat] = []) {
        self.styles = styles
        self.separator = separator
        self.automatic = automatic
    }

    /// A path that ends with a style's name.
    package struct Style: Sendable {
        /// The part before the separator.
        package let key: String
        /// The name of the style.
        package let name: String
        /// The operators of the style.
        package let chain: String
    }

    /// The style of a path that ends with a style's name; `nil` for other paths.
    package func style(of path: String) -> Style? {
        guard !styles.isEmpty, let end = path.lastIndex(of: separator) else { return nil }
        let name = String(path[path.index(after: end)...])
        return styles[name].map { Style(key: String(path[..<end]), name: name, chain: $0) }
    }
}
