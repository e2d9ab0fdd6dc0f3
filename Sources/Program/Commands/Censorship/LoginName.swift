internal import Glibc

/// The name of the user who runs a command.
enum LoginName {
    /// The name in the system's user database; `nil` if the user has none there.
    static var current: String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        guard getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name
        else { return nil }
        // The name points into the buffer, which must live until it is copied.
        return withExtendedLifetime(buffer) { String(cString: name) }
    }
}
