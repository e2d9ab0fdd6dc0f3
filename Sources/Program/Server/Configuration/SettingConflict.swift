/// Settings that are valid one by one, but do not fit together.
struct SettingConflict {
    /// The settings from which the conflict follows.
    ///
    /// If one of them cannot be used, its default is in force instead, and so the conflict need not exist.
    let names: [String]
    /// A sentence that names the settings.
    let sentence: String

    /// - Parameters:
    ///   - names: The names of the settings, or a beginning that several of them have.
    ///   - sentence: A sentence that names the settings.
    init(_ names: String..., sentence: String) {
        self.names = names
        self.sentence = sentence
    }

    /// Whether the conflict follows from one of these settings.
    func depends(on settings: Set<String>) -> Bool {
        names.contains { name in settings.contains { $0.hasPrefix(name) } }
    }
}
