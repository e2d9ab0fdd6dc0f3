internal import FileClient
internal import FoundationEssentials
internal import Server
internal import Yams

/// The file with profiles: `$XDG_CONFIG_HOME/lcfile/config.yaml`, otherwise `~/.config/lcfile/config.yaml`.
struct ProfileFile: Equatable {
    /// The path; `nil` if the environment names no home folder.
    let path: String?
    /// The profile of commands without `--profile`.
    var defaultName: String?
    /// The profiles by name.
    var profiles: [String: Profile] = [:]

    /// Reads the file of the environment; a file that does not exist has no profiles.
    ///
    /// - Throws: ``UsageError`` if it is malformed, cannot be read, or other users are able to read it.
    init(in environment: [String: String]) throws {
        path = UserFolder.config(in: environment).map { "\($0)/config.yaml" }
        guard let path, let text = try PrivateFile.read(path) else { return }
        do {
            try parse(text, folder: UserFolder.config(in: environment) ?? "", home: environment["HOME"] ?? "")
        } catch let error as UsageError {
            throw error
        } catch {
            throw UsageError("\(path) is not valid YAML: \(YAMLFault(error))")
        }
    }

    /// A file without profiles.
    init(path: String?) {
        self.path = path
    }

    /// A profile by its name, or the default profile for `nil`; `nil` if there is no default.
    ///
    /// - Throws: ``UsageError`` if a named profile does not exist.
    func profile(named name: String?) throws(UsageError) -> Profile? {
        guard let name = name ?? defaultName else { return nil }
        if let profile = profiles[name] { return profile }
        let known = profiles.keys.sorted().joined(separator: ", ")
        let list = known.isEmpty ? "there are none" : "there are: \(known)"
        throw UsageError("there is no profile '\(name)' in \(path ?? "~/.config/lcfile/config.yaml"); \(list)")
    }

    /// The file's text; JSON strings are YAML too.
    var text: String {
        var lines = ["# Profiles of lcfile, changed by 'lcfile profile'. Only the owner is allowed to read the file."]
        if let defaultName { lines.append("default: \(JSON.string(defaultName))") }
        lines.append(profiles.isEmpty ? "profiles: {}" : "profiles:")
        for (name, profile) in profiles.sorted(by: { $0.key < $1.key }) {
            lines.append("  \(JSON.string(name)):")
            for (member, path) in Profile.members {
                if let value = profile[keyPath: path] { lines.append("    \(member): \(JSON.string(value))") }
            }
            if profile == Profile() { lines[lines.count - 1] += " {}" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Writes the file with mode 0600, in one step.
    func write() throws {
        guard let path else { throw UsageError("set HOME or XDG_CONFIG_HOME, so that there is a place for profiles") }
        try PrivateFile.write(text, to: path)
    }

    /// Parses the file's text.
    ///
    /// - Parameters:
    ///   - text: YAML.
    ///   - folder: The folder to which relative paths of key files refer.
    ///   - home: The folder that `~/` stands for.
    /// - Throws: ``UsageError`` naming what is malformed; the error of Yams.
    mutating func parse(_ text: String, folder: String, home: String) throws {
        guard let root = try Yams.compose(yaml: text) else { return }
        for (name, node) in try ProfileFile.members(of: root, at: "the file") {
            switch name {
            case "default": defaultName = try ProfileFile.string(node, at: name)
            case "profiles":
                for (name, node) in try ProfileFile.members(of: node, at: name) {
                    profiles[name] = try ProfileFile.profile(node, named: name, folder, home)
                }
            default: throw UsageError("\(path ?? ""): unknown name '\(name)'; allowed: default, profiles")
            }
        }
    }

    private static func profile(_ node: Node, named name: String, _ folder: String, _ home: String) throws -> Profile {
        var profile = Profile()
        for (member, node) in try members(of: node, at: "profile '\(name)'") {
            guard let known = Profile.members.first(where: { $0.name == member }) else {
                let names = Profile.members.map(\.name).joined(separator: ", ")
                throw UsageError("profile '\(name)': unknown name '\(member)'; allowed: \(names)")
            }
            var value = try string(node, at: "profile '\(name)': \(member)")
            if member.hasSuffix("File") { value = absolute(value, folder, home) }
            profile[keyPath: known.path] = value
        }
        return profile
    }

    private static func absolute(_ path: String, _ folder: String, _ home: String) -> String {
        if path.hasPrefix("~/") { return home + path.dropFirst() }
        return path.hasPrefix("/") ? path : "\(folder)/\(path)"
    }

    private static func members(of node: Node, at place: String) throws -> [(String, Node)] {
        guard let mapping = node.mapping else { throw UsageError("\(place) must be a list of names and values") }
        return try mapping.map { (try string($0.key, at: place), $0.value) }
    }

    private static func string(_ node: Node, at place: String) throws -> String {
        guard let scalar = node.scalar, !scalar.string.isEmpty else {
            throw UsageError("\(place) must be a string that is not empty")
        }
        return scalar.string
    }
}
