internal import Domain

extension ServerConfiguration {
    /// The settings that another configuration has changed, sorted; an app is `apps.<id>`.
    ///
    /// - Parameter other: The other configuration, read by the same process.
    /// - Returns: Their names, never their values.
    func names(changedIn other: ServerConfiguration) -> [String] {
        let (old, new) = (fingerprints, other.fingerprints)
        return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
    }

    private var fingerprints: [String: Int] {
        let settings = changes.map { ($0.name, $0.fingerprint) }
        let apps = apps.map { ("apps.\($0.id)", $0.fingerprint) }
        return Dictionary(settings + apps) { first, _ in first }
    }
}

extension AppConfiguration {
    /// Tells two configurations of an app apart, without containing a key; another number in each process.
    fileprivate var fingerprint: Int {
        var hasher = Hasher()
        for key in [keys.appKey, keys.masterKey] { hasher.combine(key.revealed) }
        hasher.combine(images.styles)
        // These have no order that changes from run to run.
        let rest: [Any?] = [
            fileDomains, images.separator, images.automatic, mirrorOrigin, fileAccess, imageAccess, verifiesEmail,
            requiresVerifiedEmail, verifiesPhone, requiresVerifiedPhone, downloadRedirects,
        ]
        hasher.combine(String(reflecting: rest))
        return hasher.finalize()
    }
}
