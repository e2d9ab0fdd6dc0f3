/// The fetcher of each kind of caller: guests have a separate one, so that slow servers in their requests do not delay
/// users and the master key.
package struct Fetchers: Sendable {
    private let guests: any Fetcher
    private let others: any Fetcher

    /// - Parameters:
    ///   - others: Fetches for users and the master key.
    ///   - guests: Fetches for guests and clients without credentials; shares no threads with `others`.
    package init(_ others: any Fetcher, guests: any Fetcher) {
        self.others = others
        self.guests = guests
    }

    /// Uses one fetcher for all callers.
    package init(_ fetcher: any Fetcher) {
        self.init(fetcher, guests: fetcher)
    }

    /// The fetcher for a group.
    func fetcher(for group: CallerGroup) -> any Fetcher {
        group == .guests ? guests : others
    }
}
