package import Domain
internal import Storage

/// One app of the configuration.
package struct AppConfiguration: Sendable {
    /// The app's id.
    package let id: AppID
    /// The app's keys.
    package let keys: AppKeys
    /// The possible beginnings of its file URLs, the first of which new URLs have; empty means the server's own URL.
    package let fileDomains: [String]
    /// The styles and automatic formats of its image URLs.
    package var images = ImageNames()
    /// The URL before a key under which the app's files were served before, without a slash at its end; `nil` for no
    /// mirror, or for `mirror.origin`.
    package var mirrorOrigin: String?
    /// Which file URLs need a signature; `nil` for `files.access`.
    package var fileAccess: FileAccess?
    /// Which image URLs need a signature; `nil` for `images.access`.
    package var imageAccess: ImageAccess?
    /// Whether new addresses are sent a link; `nil` for `accounts.verifyEmail`.
    package var verifiesEmail: Bool?
    /// Whether log-ins need a verified address; `nil` for `accounts.requireVerifiedEmail`.
    package var requiresVerifiedEmail: Bool?

    /// Checks the id and keys of an app.
    ///
    /// - Throws: ``ExitError`` naming the one that is wrong; keys are never repeated in it.
    package init(id: String, appKey: String, masterKey: String, fileDomains: [String] = []) throws {
        guard let appID = AppID(id) else {
            throw ExitError.configuration("the app id '\(id)' must be 1 to 64 letters, digits, '-' or '_'")
        }
        for (name, key) in [("app key", appKey), ("master key", masterKey)] {
            guard !key.isEmpty else {
                throw ExitError.configuration("the \(name) of app '\(id)' is missing; it can also be in a file")
            }
            guard (8...256).contains(key.utf8.count), key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x2c })
            else {
                throw ExitError.configuration(
                    "the \(name) of app '\(id)' must be 8 to 256 visible ASCII characters without a comma"
                )
            }
        }
        guard appKey != masterKey else {
            throw ExitError.configuration("the app key and the master key of app '\(id)' must differ")
        }
        self.fileDomains = try fileDomains.map { text in
            guard let address = SettingReader.address(text) else {
                throw ExitError.configuration(
                    "fileDomains of app '\(id)' has '\(text)'; allowed: an address such as https://files.example.com"
                )
            }
            return address
        }
        self.id = appID
        keys = AppKeys(appKey: Secret(appKey), masterKey: Secret(masterKey))
    }

    /// Checks that the chains of the styles are valid and within the limits.
    ///
    /// - Throws: ``ExitError`` naming the app, the style and what is wrong with it.
    func checkStyles(against limits: ImageLimits) throws {
        // The file of a watermark can depend on the host of a request, so it is checked at each request.
        let context = ImageParsingContext(limits: limits, ownKey: { _ in FileKey("mark") }, fileSize: .max)
        for (name, chain) in images.styles.sorted(by: { $0.key < $1.key }) {
            do {
                _ = try ImageRequest(chain: chain, context: context)
            } catch let error as ServiceError {
                throw ExitError.configuration("the style '\(name)' of app '\(id)' cannot be used. \(error.message)")
            }
        }
    }
}
