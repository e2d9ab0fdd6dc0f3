internal import Domain
internal import HTTPAPI
internal import Storage

extension ServerConfiguration {
    /// Checks combinations of settings.
    ///
    /// - Throws: ``ExitError`` naming all settings that do not fit together.
    package func validate() throws {
        let faults = (conflicts(appCount: apps.count) + servingConflicts(appCount: apps.count)).map(\.sentence)
        guard faults.isEmpty else { throw ExitError.settings(faults) }
    }

    /// The settings that do not fit together.
    ///
    /// - Parameter appCount: The number of apps, with those that cannot be used.
    /// - Returns: All conflicts.
    func conflicts(appCount: Int) -> [SettingConflict] {
        var conflicts = listenerConflicts
        // One guest can use a quarter of the memory, and sends files of old SDKs as Base64 in JSON.
        if wire.jsonSize > wire.bodyMemory / 4 {
            let sentence =
                "http.bodyMemory is \(wire.bodyMemory) bytes; it must be at least four times http.maxJsonSize"
            conflicts.append(SettingConflict("http.bodyMemory", "http.maxJsonSize", sentence: sentence))
        }
        if mirror.origin != nil, appCount > 1 {
            let sentence = "mirror.origin is for a server with one app; set mirrorOrigin of each app in apps instead"
            conflicts.append(SettingConflict("mirror.origin", sentence: sentence))
        }
        if providers.needsSlices {
            let sentence =
                "uploads.providers must not have java=qcloud: the Java SDK sends files above 512 KiB in slices "
                + "(op=upload_slice), which this server does not support; use java=s3 or java=qiniu"
            conflicts.append(SettingConflict("uploads.providers", sentence: sentence))
        }
        conflicts += databaseConflicts + blobConflicts
        conflicts += s3.conflicts + censorship.conflicts + mail.conflicts + sms.conflicts(country: accounts.countryCode)
        if mail.server == nil, accounts.verifiesEmail || apps.contains(where: { $0.verifiesEmail == true }) {
            let sentence = "accounts.verifyEmail (verifyEmail of an app) needs mail.server"
            conflicts.append(SettingConflict("mail.server", sentence: sentence))
        }
        if sms.provider == .off, accounts.verifiesPhone || apps.contains(where: { $0.verifiesPhone == true }) {
            let sentence = "accounts.verifyPhone (verifyPhone of an app) needs sms.provider"
            conflicts.append(SettingConflict("sms.provider", sentence: sentence))
        }
        for fault in apps.flatMap({ $0.styleFaults(against: images.limits) }) {
            conflicts.append(SettingConflict("images.max", sentence: fault))
        }
        return conflicts
    }

    /// Ports and certificates that do not fit together.
    private var listenerConflicts: [SettingConflict] {
        var conflicts: [SettingConflict] = []
        func same(_ name: String, _ number: Int, as other: String) {
            let sentence = "\(name) is \(number), the same as \(other); choose another one"
            conflicts.append(SettingConflict(name, other, sentence: sentence))
        }
        if metrics.enabled, metrics.port == port, port != 0 { same("metrics.port", port, as: "port") }
        if (tls.certificate == nil) != (tls.key == nil) {
            let sentence = "tls.certificate and tls.key go together; set both or none"
            conflicts.append(SettingConflict("tls.certificate", "tls.key", sentence: sentence))
        }
        guard tls.redirectPort > 0 else { return conflicts }
        if tls.certificate == nil, tls.key == nil {
            let sentence = "tls.redirectPort needs tls.certificate and tls.key"
            conflicts.append(SettingConflict("tls.certificate", "tls.key", sentence: sentence))
        }
        if publicURL?.hasPrefix("http://") == true {
            let sentence = "tls.redirectPort sends clients to publicURL, which must begin with https://"
            conflicts.append(SettingConflict("tls.redirectPort", "publicURL", sentence: sentence))
        }
        if port == tls.redirectPort { same("tls.redirectPort", port, as: "port") }
        if metrics.enabled, metrics.port == tls.redirectPort {
            same("tls.redirectPort", metrics.port, as: "metrics.port")
        }
        return conflicts
    }
}

extension ExitError {
    /// The error for settings that cannot be used.
    ///
    /// - Parameter faults: A sentence for each of them, at least one.
    /// - Returns: The error with all sentences.
    static func settings(_ faults: [String]) -> ExitError {
        guard faults.count > 1 else { return .configuration(faults.first ?? "") }
        let lines = faults.map { "\n  \($0)" }.joined()
        return .configuration("\(faults.count) settings cannot be used:\(lines)")
    }
}
