/// Which file URLs of an app need a signature (`files.access`).
package enum FileAccess: String, Sendable, CaseIterable {
    /// None: every client that has a URL gets the bytes, as on LeanCloud.
    case `public`
    /// Those of files whose ACL does not let everyone read the record.
    case acl
    /// All.
    case `private`

    /// Whether the URL of a file with this ACL needs a signature; `nil` is the ACL of a file without one.
    func isPrivate(_ acl: AccessControlList?) -> Bool {
        switch self {
        case .public: false
        case .acl: acl?.isPrivate ?? false
        case .private: true
        }
    }
}

/// Which image URLs of an app need a signature of their own (`images.access`).
package enum ImageAccess: String, Sendable, CaseIterable {
    /// None.
    case any
    /// Those with operators; the app's named styles need none.
    case styles
    /// All.
    case signed

    /// Whether URLs with this image request need a signature of their own.
    func isRestricted(_ image: RequestedImage) -> Bool {
        switch (self, image) {
        case (.any, _), (_, .source), (.styles, .style): false
        case (.styles, .chain), (.signed, .style), (.signed, .chain): true
        }
    }
}

/// What a URL requests of a file: the bytes themselves, or an image that is rendered from them.
package enum RequestedImage: Hashable, Sendable {
    /// The file's bytes.
    case source
    /// The style of this name.
    case style(String)
    /// The operators of the query, percent-decoded.
    case chain(String)

    /// The string that is signed; no two values have the same.
    var signed: String {
        switch self {
        case .source: ""
        // No operator has this name.
        case .style(let name): "style/\(name)"
        case .chain(let text): text
        }
    }
}

extension AccessControlList {
    /// Whether not everyone is allowed to read.
    var isPrivate: Bool { !grants(.read, to: .guest) }
}
