/// A setting that differs from its default, for the log.
package struct SettingChange: Sendable {
    /// The name of the setting.
    package let name: String
    /// Its value as it was written; without the path of a URL, and `(set)` for a secret.
    package let value: String
    /// Tells two values apart that look alike here, without containing them; another number in each process.
    let fingerprint: Int

    /// - Parameters:
    ///   - name: The name of the setting.
    ///   - value: Its value for the log.
    ///   - whole: The whole value, of which only a hash is stored.
    init(name: String, value: String, of whole: Any) {
        self.name = name
        self.value = value
        fingerprint = String(reflecting: whole).hashValue
    }
}
