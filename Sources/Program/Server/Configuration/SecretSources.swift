internal import Storage

/// The possible sources of one secret: a value, a file, a credential of the service.
struct SecretSources {
    /// The name of the setting or variable that has the value, and that of the one that has the path; for messages.
    let names: (value: String, file: String)
    /// The secret itself; `nil` if it is not set.
    let value: String?
    /// The path of a file with the secret; `nil` if it is not set.
    let path: String?
    /// The service's credential; `nil` if the service has no credential for this secret.
    var credential: Credential?

    /// Reads the secret.
    ///
    /// Two sources are refused, because one of them would be out of date without a sign of it.
    ///
    /// - Returns: The secret; `nil` without a source.
    /// - Throws: ``ExitError`` naming the sources, or the file that cannot be used.
    func read() throws(ExitError) -> String? {
        let given = [
            value.map { _ in names.value },
            path.map { _ in names.file },
            credential.map { "the credential \($0.name)" },
        ].compactMap(\.self)
        guard given.count <= 1 else {
            throw .configuration("\(given.joined(separator: " and ")) are set; set only one of them")
        }
        if let path { return try SecretFile.read(path, of: names.file) }
        if let credential { return try SecretFile.read(credential.path, of: "credential \(credential.name)") }
        return value
    }
}
