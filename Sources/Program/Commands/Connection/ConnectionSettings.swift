internal import FileClient
internal import FoundationEssentials

/// The server, the app and the keys of a command.
///
/// Each value has three sources: options take precedence over environment variables, these over the profile. A key and
/// a key file are the same value, so that a key in the environment replaces a key file of the profile.
struct ConnectionSettings: Equatable {
    /// The server's URL.
    var server: String
    /// The app's id; `nil` if no source has it.
    var appID: String?
    /// The app key.
    var appKey: String?
    /// The master key.
    var masterKey: String?

    /// Resolves the sources.
    ///
    /// - Parameters:
    ///   - options: The values of the command line.
    ///   - environment: The process's environment; empty values count as missing.
    ///   - profile: The chosen profile; `nil` without one.
    ///   - read: Reads a key file.
    /// - Throws: ``UsageError`` for a malformed URL, id or key, and the errors of `read`.
    init(
        options: Profile,
        environment: [String: String],
        profile: Profile?,
        reading read: (String) throws -> String = KeyFile.read
    ) throws {
        let layers = [options, Profile(environment: environment), profile ?? Profile()]
        func first(_ value: (Profile) throws -> String?) rethrows -> String? {
            for layer in layers {
                if let value = try value(layer) { return value }
            }
            return nil
        }
        server = first(\.server) ?? "http://127.0.0.1:8080"
        appID = first(\.appID)
        appKey = try first { layer in try layer.appKey ?? layer.appKeyFile.map(read) }
        masterKey = try first { layer in try layer.masterKey ?? layer.masterKeyFile.map(read) }
        try validate()
    }

    /// The client for calls with the master key; `nil` if the id or the key is missing.
    func masterClient(_ options: FileClientOptions) -> FileClient? {
        guard let appID, let masterKey else { return nil }
        return FileClient(server: server, appID: appID, appKey: "\(masterKey),master", options: options)
    }

    /// The client for calls with the app key; `nil` if the id or the key is missing.
    func appClient(_ options: FileClientOptions) -> FileClient? {
        guard let appID, let appKey else { return nil }
        return FileClient(server: server, appID: appID, appKey: appKey, options: options)
    }

    private func validate() throws(UsageError) {
        let lowercased = server.lowercased()
        guard lowercased.hasPrefix("http://") || lowercased.hasPrefix("https://") else {
            throw UsageError("the server must be an http or https URL, such as https://files.example.com")
        }
        for (name, value) in [("app id", appID), ("app key", appKey), ("master key", masterKey)] {
            // A line break would begin another header.
            guard value?.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) != false else {
                throw UsageError("the \(name) must be printable ASCII without spaces")
            }
        }
    }
}

extension Profile {
    /// The values of environment variables.
    ///
    /// `LCFILE_PUBLIC_URL` is a setting of the server; it names the server for commands in the server's environment.
    init(environment: [String: String]) {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        self.init()
        server = value("LCFILE_SERVER") ?? value("LCFILE_PUBLIC_URL")
        appID = value("LCFILE_APP_ID")
        appKey = value("LCFILE_APP_KEY")
        appKeyFile = value("LCFILE_APP_KEY_FILE")
        masterKey = value("LCFILE_MASTER_KEY")
        masterKeyFile = value("LCFILE_MASTER_KEY_FILE")
    }
}

/// A file that contains one key.
enum KeyFile {
    /// The key, without white space around it.
    ///
    /// - Throws: ``UsageError`` if the file cannot be read or is empty.
    static func read(_ path: String) throws -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw UsageError("the key file \(path) cannot be read")
        }
        let key = text.trimming { $0.isWhitespace }
        guard !key.isEmpty else { throw UsageError("the key file \(path) is empty") }
        return key
    }
}

extension String {
    /// The string without the characters at both ends that match.
    func trimming(_ matches: (Character) -> Bool) -> String {
        guard let first = firstIndex(where: { !matches($0) }), let last = lastIndex(where: { !matches($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
