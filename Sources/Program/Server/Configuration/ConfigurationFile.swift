internal import FoundationEssentials
internal import Storage
internal import Yams

/// A parsed configuration file: settings by their dotted names, the list of apps, and everything that is wrong with
/// them.
///
/// swift-configuration reads YAML too, but no lists of objects, and it does not report unknown names; this type refuses
/// them.
struct ConfigurationFile {
    private(set) var settings: [String: String] = [:]
    /// The apps without those whose id or keys are wrong.
    private(set) var apps: [AppConfiguration] = []
    /// The ids of all entries of the list of apps, as they are written.
    private(set) var appIDs: [String] = []
    /// A sentence for each value that cannot be used; whether a name is that of a setting is not known here.
    private(set) var faults: [String] = []
    /// The names of all settings, also of those without a value.
    private var names: Set<String> = []
    private let credentials: CredentialFolder

    /// Reads a file, and the key files of its apps.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - credentials: The further source of keys of apps.
    /// - Throws: ``ExitError`` naming the file, if nothing of it can be used.
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
    ///
    /// - Throws: As above.
    init(text: String, path: String, credentials: CredentialFolder) throws {
        self.credentials = credentials
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw ExitError.configuration("\(path) is not valid YAML: \(YAMLFault(error))")
        }
        guard let root, root != Node("") else { return }
        guard let mapping = root.mapping else {
            throw ExitError.configuration("\(path) must contain settings, one 'name: value' a line")
        }
        read(mapping, under: "", path)
    }

    private mutating func read(_ mapping: Node.Mapping, under prefix: String, _ path: String) {
        for (nameNode, value) in mapping {
            let name = prefix + (nameNode.string ?? "")
            let location = "\(path):\(nameNode.mark?.line ?? 0)"
            // ConfigKey drops empty parts, so 'port.' and 'port' are one key to it.
            guard !name.split(separator: ".", omittingEmptySubsequences: false).contains("") else {
                faults.append("\(location): '\(name)' is not the name of a setting: it has an empty part")
                continue
            }
            if name == "apps" {
                readApps(value, location)
            } else if let mapping = value.mapping {
                read(mapping, under: "\(name).", path)
            } else if !names.insert(name).inserted {
                // YAML knows nothing of dots: http.idleTimeout and http with idleTimeout are two names to it.
                faults.append("\(location): '\(name)' occurs more than once")
            } else if let scalar = value.scalar {
                // A setting with an empty value has its default.
                if value.null == nil { settings[name] = scalar.string }
            } else {
                faults.append("\(location): '\(name)' must be one value, not a list; several have commas between them")
            }
        }
    }

    private mutating func readApps(_ node: Node, _ location: String) {
        guard node.null == nil else { return }
        guard let list = node.sequence else {
            faults.append("\(location): 'apps' must be a list of id, appKey and masterKey")
            return
        }
        for node in list {
            var entry = AppEntry(node.mapping, location)
            if let app = entry.app(credentials) { apps.append(app) }
            faults += entry.faults
            // An entry without an id has a fault already.
            if !entry.id.isEmpty, appIDs.contains(entry.id) {
                faults.append("\(location): two apps have the same id '\(entry.id)'")
            }
            appIDs.append(entry.id)
        }
    }
}
