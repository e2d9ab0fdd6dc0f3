internal import Domain
internal import Storage
internal import Yams

/// One entry of the list of apps in a configuration file, with everything that is wrong with it.
struct AppEntry {
    /// A sentence for each fault, with the location of the entry; keys are never repeated in it.
    private(set) var faults: [String] = []
    /// The names of the keys that can be in a file or a credential.
    static let keyNames = ["appKey", "masterKey", "consoleReadKey"]
    private var credentials = [
        "id": "", "appKey": "", "appKeyFile": "", "masterKey": "", "masterKeyFile": "",
        "consoleReadKey": "", "consoleReadKeyFile": "",
    ]
    private var domains: [String] = []
    private var images = ImageNames()
    private var mirrorOrigin: String?
    private var fileAccess: FileAccess?
    private var imageAccess: ImageAccess?
    private var downloadRedirects: RedirectedFiles?
    private var verifiesEmail: Bool?
    private var requiresVerifiedEmail: Bool?
    private var verifiesPhone: Bool?
    private var requiresVerifiedPhone: Bool?
    private let location: String

    /// Parses an entry; the location is for messages.
    init(_ mapping: Node.Mapping?, _ location: String) {
        self.location = location
        for (nameNode, value) in mapping ?? [:] {
            do {
                try read(nameNode.string ?? "", value)
            } catch {
                faults.append("\(error)")
            }
        }
    }

    /// The id as it is written; empty without one.
    var id: String { credentials["id", default: ""] }

    /// The app with checked id and keys, but unchecked chains of its styles, because their limits can follow in the
    /// file.
    ///
    /// - Parameter folder: The source of keys that the entry does not have.
    /// - Returns: The app; `nil` if its id or a key is wrong, which is then among ``faults``.
    mutating func app(_ folder: CredentialFolder) -> AppConfiguration? {
        // A path is split at its last separator.
        for name in images.styles.keys.sorted() where name.contains(images.separator) {
            refuse("the style '\(name)' contains the styleSeparator '\(images.separator)', so no URL can name it")
        }
        let (appKey, masterKey) = (key("appKey", folder), key("masterKey", folder))
        let consoleReadKey = key("consoleReadKey", folder)
        guard
            var app = AppConfiguration(
                id: id,
                appKey: appKey,
                masterKey: masterKey,
                consoleReadKey: consoleReadKey,
                fileDomains: domains,
                noting: &faults
            )
        else { return nil }
        app.images = images
        app.mirrorOrigin = mirrorOrigin
        app.fileAccess = fileAccess
        app.imageAccess = imageAccess
        app.downloadRedirects = downloadRedirects
        app.verifiesEmail = verifiesEmail
        app.requiresVerifiedEmail = requiresVerifiedEmail
        app.verifiesPhone = verifiesPhone
        app.requiresVerifiedPhone = requiresVerifiedPhone
        return app
    }

    /// A key of the app: its value, the text of its file or of the credential `lcfile.<id>.<name>`; empty without one,
    /// and `nil` if it cannot be read.
    private mutating func key(_ name: String, _ folder: CredentialFolder) -> String? {
        func text(_ name: String) -> String? { credentials[name].flatMap { $0.isEmpty ? nil : $0 } }
        let sources = SecretSources(
            names: (name, "\(name)File"),
            value: text(name),
            path: text("\(name)File"),
            credential: folder.credential(of: "\(id).\(name)")
        )
        do {
            return try sources.read() ?? ""
        } catch {
            refuse(error.description)
            return nil
        }
    }

    private mutating func read(_ name: String, _ value: Node) throws {
        switch name {
        case _ where value.null != nil: return
        case "fileDomains": domains = try list(value, name, "addresses")
        case "mirrorOrigin": mirrorOrigin = try origin(value)
        case "fileAccess": fileAccess = try choice(value, name)
        case "imageAccess": imageAccess = try choice(value, name)
        case "downloadRedirects": downloadRedirects = try choice(value, name)
        case "verifyEmail": verifiesEmail = try flag(value, name)
        case "requireVerifiedEmail": requiresVerifiedEmail = try flag(value, name)
        case "verifyPhone": verifiesPhone = try flag(value, name)
        case "requireVerifiedPhone": requiresVerifiedPhone = try flag(value, name)
        case "autoFormats": images.automatic = try formats(value)
        case "styles": images.styles = try styles(value)
        case "styleSeparator": images.separator = try separator(value)
        default:
            guard credentials[name] != nil, let text = value.scalar?.string else {
                throw refusal(
                    "unknown name '\(name)' in apps; allowed: id, appKey, appKeyFile, masterKey, masterKeyFile, "
                        + "consoleReadKey, consoleReadKeyFile, fileDomains, styles, styleSeparator, autoFormats, "
                        + "mirrorOrigin, fileAccess, imageAccess, downloadRedirects, verifyEmail, requireVerifiedEmail, verifyPhone, requireVerifiedPhone"
                )
            }
            credentials[name] = text
        }
    }

    private func list(_ value: Node, _ name: String, _ what: String) throws -> [String] {
        let entries = value.sequence?.map { $0.scalar?.string }
        guard let entries, entries.allSatisfy({ $0 != nil }) else { throw refusal("\(name) must be a list of \(what)") }
        return entries.compactMap(\.self)
    }

    private func origin(_ value: Node) throws -> String {
        guard let address = value.scalar.flatMap({ SettingReader.address($0.string) }) else {
            throw refusal("mirrorOrigin must be an address such as https://old-files.example.com")
        }
        return address
    }

    /// Parses one of the values of an enumeration.
    private func choice<Choice>(_ value: Node, _ name: String) throws -> Choice
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let choice = value.scalar.flatMap({ Choice(rawValue: $0.string) }) else {
            throw refusal("\(name) must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    private func flag(_ value: Node, _ name: String) throws -> Bool {
        guard let flag = ["true": true, "false": false][value.scalar?.string.lowercased() ?? ""] else {
            throw refusal("\(name) must be true or false")
        }
        return flag
    }

    private func formats(_ value: Node) throws -> [ImageFormat] {
        try list(value, "autoFormats", "formats").map { name in
            guard let format = ImageFormat(name: name) else {
                throw refusal("autoFormats has '\(name)'; allowed: jpg, png, webp, gif, avif")
            }
            return format
        }
    }

    /// Parses the names of styles and their chains.
    private mutating func styles(_ value: Node) throws -> [String: String] {
        guard let mapping = value.mapping else {
            throw refusal("styles must be names and chains, one 'name: chain' a line")
        }
        var styles: [String: String] = [:]
        for (nameNode, chainNode) in mapping {
            let name = nameNode.string ?? ""
            guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == 0x5f })
            else {
                refuse("the style '\(name)' must have a name of 1 to 64 letters, digits or '_'")
                continue
            }
            styles[name] = chainNode.scalar?.string
            if styles[name] == nil { refuse("the style '\(name)' must have a chain") }
        }
        return styles
    }

    private func separator(_ value: Node) throws -> Character {
        guard let text = value.scalar?.string, text.utf8.count == 1, let sign = text.first, "-_!@~,.;".contains(sign)
        else {
            throw refusal("styleSeparator must be one of - _ ! @ ~ , . ;")
        }
        return sign
    }

    private mutating func refuse(_ message: String) {
        faults.append("\(refusal(message))")
    }

    private func refusal(_ message: String) -> ExitError {
        .configuration("\(location): \(message)")
    }
}
