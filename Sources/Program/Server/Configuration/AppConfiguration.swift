package import Domain
internal import Storage

/// One app of the configuration.
package struct AppConfiguration: Sendable {
    /// The app's id.
    package let id: AppID
    /// The app's keys.
    package internal(set) var keys: AppKeys
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
    /// Which downloads are redirected to the store of the blobs; `nil` for `downloads.redirects`.
    package var downloadRedirects: RedirectedFiles?
    /// Whether new addresses are sent a link; `nil` for `accounts.verifyEmail`.
    package var verifiesEmail: Bool?
    /// Whether log-ins need a verified address; `nil` for `accounts.requireVerifiedEmail`.
    package var requiresVerifiedEmail: Bool?
    /// Whether new phone numbers are sent a code; `nil` for `accounts.verifyPhone`.
    package var verifiesPhone: Bool?
    /// Whether log-ins by a phone number need a verified one; `nil` for `accounts.requireVerifiedPhone`.
    package var requiresVerifiedPhone: Bool?

    /// Checks the id and keys of an app.
    ///
    /// - Throws: ``ExitError`` naming everything that is wrong; keys are never repeated in it.
    package init(id: String, appKey: String, masterKey: String, fileDomains: [String] = []) throws {
        var faults: [String] = []
        guard
            let app = AppConfiguration(
                id: id,
                appKey: appKey,
                masterKey: masterKey,
                fileDomains: fileDomains,
                noting: &faults
            )
        else { throw ExitError.settings(faults) }
        self = app
    }

    /// Checks the id and keys of an app, and notes everything that is wrong.
    ///
    /// - Parameters:
    ///   - id: The id.
    ///   - appKey: The app key; `nil` if it cannot be read, which is noted already.
    ///   - masterKey: The master key, likewise.
    ///   - consoleReadKey: The key with which the console only reads, likewise; empty for none.
    ///   - fileDomains: The beginnings of file URLs.
    ///   - faults: A sentence for each fault; keys are never repeated in it.
    init?(
        id: String,
        appKey: String?,
        masterKey: String?,
        consoleReadKey: String? = "",
        fileDomains: [String],
        noting faults: inout [String]
    ) {
        let before = faults.count
        let appID = AppID(id)
        if appID == nil { faults.append("the app id '\(id)' must be 1 to 64 letters, digits, '-' or '_'") }
        let given = [("app key", appKey), ("master key", masterKey), ("consoleReadKey", consoleReadKey)]
        for (name, key) in given {
            guard let key, !(key.isEmpty && name == "consoleReadKey") else { continue }
            if key.isEmpty {
                faults.append("the \(name) of app '\(id)' is missing; it can also be in a file")
            } else if !(8...256).contains(key.utf8.count)
                || !key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x2c })
            {
                faults.append("the \(name) of app '\(id)' must be 8 to 256 visible ASCII characters without a comma")
            }
        }
        if let appKey, !appKey.isEmpty, appKey == masterKey {
            faults.append("the app key and the master key of app '\(id)' must differ")
        }
        if let consoleReadKey, !consoleReadKey.isEmpty, [appKey, masterKey].contains(consoleReadKey) {
            faults.append("the consoleReadKey of app '\(id)' must differ from the other keys")
        }
        self.fileDomains = fileDomains.compactMap { text in
            let address = SettingReader.address(text)
            if address == nil {
                faults.append(
                    "fileDomains of app '\(id)' has '\(text.withoutPathOfAddress)'; "
                        + "allowed: an address such as https://files.example.com"
                )
            }
            return address
        }
        guard faults.count == before, let appID, let appKey, let masterKey, let consoleReadKey else { return nil }
        self.id = appID
        keys = AppKeys(
            appKey: Secret(appKey),
            masterKey: Secret(masterKey),
            consoleReadKey: consoleReadKey.isEmpty ? nil : Secret(consoleReadKey)
        )
    }

    /// Checks that the chains of the styles are valid and within the limits.
    ///
    /// - Returns: A sentence for each chain that is not, naming the app, the style and what is wrong with it.
    func styleFaults(against limits: ImageLimits) -> [String] {
        // The file of a watermark can depend on the host of a request, so it is checked at each request.
        let context = ImageParsingContext(limits: limits, ownKey: { _ in FileKey("mark") }, fileSize: .max)
        return images.styles.sorted { $0.key < $1.key }.compactMap { name, chain in
            do {
                _ = try ImageRequest(chain: chain, context: context)
                return nil
            } catch {
                let reason = (error as? ServiceError)?.message ?? "\(error)"
                return "the style '\(name)' of app '\(id)' cannot be used. \(reason)"
            }
        }
    }
}
