/// The client whose shares of an app's limits a live query takes.
struct LiveOwner: Sendable, Hashable {
    /// The client address; `nil` where addresses have no limit (`limits.exempt`), and for the master key.
    let address: String?
    /// Whether the query acts for a guest.
    let isGuest: Bool

    /// The master key, whose live queries count in no share.
    static let master = LiveOwner(address: nil, isGuest: false)
}
