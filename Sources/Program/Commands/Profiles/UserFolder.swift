/// The user's folders (XDG Base Directory Specification).
enum UserFolder {
    /// The folder of settings: `$XDG_CONFIG_HOME/lcfile`, otherwise `~/.config/lcfile`; `nil` without a home folder.
    static func config(in environment: [String: String]) -> String? {
        folder("XDG_CONFIG_HOME", ".config", environment)
    }

    /// The folder of unfinished work: `$XDG_STATE_HOME/lcfile`, otherwise `~/.local/state/lcfile`.
    static func state(in environment: [String: String]) -> String? {
        folder("XDG_STATE_HOME", ".local/state", environment)
    }

    private static func folder(_ variable: String, _ standard: String, _ environment: [String: String]) -> String? {
        // The specification ignores relative paths.
        if let path = environment[variable], path.hasPrefix("/") { return "\(path)/lcfile" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/\(standard)/lcfile"
    }
}
