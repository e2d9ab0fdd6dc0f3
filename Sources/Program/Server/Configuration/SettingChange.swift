/// A setting that differs from its default, for the log.
package struct SettingChange: Sendable {
    /// The name of the setting.
    package let name: String
    /// Its value as it was written; without the path of a URL, and `(set)` for a secret.
    package let value: String
}
