internal import FoundationEssentials
internal import Storage
internal import Yams

/// A parsed configuration file: settings by their dotted names, and the list of apps.
///
/// swift-configuration reads YAML too, but no lists of objects, and it does not report unknown names; this type refuses
/// them.
struct ConfigurationFile {
    private(set) var settings: [String: String] = [:]
    private(set) var apps: [AppConfiguration] = []
    private let credentials: CredentialFolder

    /// Reads a file, and the key files of its apps.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - credentials: The further source of keys of apps.
    /// - Throws: ``ExitError`` naming the file and the line.
    init(path: String, credentials: CredentialFolder = CredentialFolder()) throws {
        let text: String
        do {
            text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        } catch {
            throw ExitError.configuration("the configuration file \(path) cannot be read")
        }
        try self.init(text: text, path: path, credentials: credentials)
    }

    /// Parses YAML; the path is for messages.
    init(text: String, path: String, credentials: CredentialFolder) throws {
        self.credentials = credentials
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw ExitError.configuration("\(path) is not valid YAML: \(error)")
        }
        guard let root, root != Node("") else { return }
        guard let mapping = root.mapping else {
            throw ExitError.configuration("\(path) must contain settings, one 'name: value' a line")
        }
        try read(mapping, under: "", path)
    }

    private mutating func read(_ mapping: Node.Mapping, under prefix: String, _ path: String) throws {
        for (nameNode, value) in mapping {
            let name = prefix + (nameNode.string ?? "")
            let location = "\(path):\(nameNode.mark?.line ?? 0)"
            if name == "apps" {
                try readApps(value, location)
            } else if let mapping = value.mapping {
                try read(mapping, under: "\(name).", path)
            } else if let scalar = value.scalar {
                // A setting with an empty value has its default.
                if value.null == nil { settings[name] = scalar.string }
            } else {
                throw ExitError.configuration("\(location): '\(name)' must be one value, not a list")
            }
        }
    }

    private mutating func readApps(_ node: Node, _ location: String) throws {
        guard node.null == nil else { return }
        guard let list = node.sequence else {
            throw ExitError.configuration("\(location): 'apps' must be a list of id, appKey and masterKey")
        }
        for entry in list {
            apps.append(try AppEntry(entry.mapping, location).app(credentials))
        }
    }
}
