/// A named server and app; every value is optional, because the environment can have the others.
struct Profile: Equatable, Sendable {
    /// The server's URL.
    var server: String?
    /// The app's id.
    var appID: String?
    /// The app key.
    var appKey: String?
    /// The path of a file with the app key.
    var appKeyFile: String?
    /// The master key.
    var masterKey: String?
    /// The path of a file with the master key.
    var masterKeyFile: String?

    /// The members by their names in the file, in the order in which they are written.
    static let members: [(name: String, path: any WritableKeyPath<Profile, String?> & Sendable)] = [
        ("server", \.server), ("appId", \.appID), ("appKey", \.appKey), ("appKeyFile", \.appKeyFile),
        ("masterKey", \.masterKey), ("masterKeyFile", \.masterKeyFile),
    ]
}
