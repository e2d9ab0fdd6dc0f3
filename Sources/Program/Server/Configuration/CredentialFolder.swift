internal import Storage

/// A secret that the service manager passes in a file.
struct Credential {
    /// Its name, such as `lcfile.censorship.webhookSecret`.
    let name: String
    /// The path of its file.
    let path: String
}

/// The folder with the credentials of a systemd service (systemd.exec(5), `LoadCredential=`).
struct CredentialFolder {
    /// What the names of this server's credentials begin with; the manager's stores have those of all services.
    static let prefix = "lcfile."
    private let path: String
    /// The names of this server's credentials, sorted.
    let names: [String]

    /// No credentials.
    init() {
        path = ""
        names = []
    }

    /// Lists the folder that the environment names; without one there are no credentials.
    ///
    /// - Throws: ``ExitError`` if the folder cannot be read to its end: secrets would be missing without a message.
    init(environment: [String: String]) throws(ExitError) {
        path = environment["CREDENTIALS_DIRECTORY"] ?? ""
        guard !path.isEmpty else {
            names = []
            return
        }
        do {
            names = try FolderNames.all(in: path).filter { $0.hasPrefix(CredentialFolder.prefix) }.sorted()
        } catch {
            throw ExitError.configuration("the folder of credentials \(path) cannot be read: \(error)")
        }
    }

    /// The credential of a secret, which has the same name behind the prefix; `nil` if there is none.
    func credential(of secret: String) -> Credential? {
        let name = CredentialFolder.prefix + secret
        return names.contains(name) ? Credential(name: name, path: "\(path)/\(name)") : nil
    }
}
