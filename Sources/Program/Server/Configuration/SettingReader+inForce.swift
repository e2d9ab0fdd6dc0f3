internal import Domain
internal import HTTPAPI

/// How values are written that no configuration has.
extension SettingReader {
    /// A number of bytes with the largest unit that needs no fraction; `nil` for 0, which stands for no limit.
    static func size(of bytes: Int64) -> String? {
        guard bytes > 0 else { return nil }
        let units = ["", "KB", "MB", "GB", "TB"]
        let unit = min(units.count - 1, bytes.trailingZeroBitCount / 10)
        return "\(bytes >> (10 * unit))\(units[unit])"
    }

    /// The name of a choice; `nil` for other values.
    static func name(of value: some Any) -> String? {
        (value as? any RawRepresentable<String>)?.rawValue
    }
}

extension AppConfiguration {
    /// The settings of the app, without keys.
    var settingsInForce: [SettingInForce] {
        func setting(_ name: String, _ value: String?) -> SettingInForce {
            SettingInForce(name: name, value: value, isDefault: value == nil)
        }
        func list(_ values: [String]) -> String? { values.isEmpty ? nil : values.joined(separator: ", ") }
        return [
            setting("consoleReadKey", keys.consoleReadKey == nil ? nil : "(set)"),
            setting("fileDomains", list(fileDomains)),
            setting("mirrorOrigin", mirrorOrigin.map(SettingReader.withoutPath)),
            setting("fileAccess", fileAccess?.rawValue),
            setting("imageAccess", imageAccess?.rawValue),
            setting("downloadRedirects", downloadRedirects?.rawValue),
            setting("verifyEmail", verifiesEmail.map(String.init)),
            setting("requireVerifiedEmail", requiresVerifiedEmail.map(String.init)),
            setting("verifyPhone", verifiesPhone.map(String.init)),
            setting("requireVerifiedPhone", requiresVerifiedPhone.map(String.init)),
            setting("autoFormats", list(images.automatic.map { "\($0)" })),
            setting("styles", list(images.styles.map { "\($0.key): \($0.value)" }.sorted())),
        ]
    }
}
