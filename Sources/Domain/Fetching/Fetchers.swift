/// The fetcher of each kind of caller: guests have one of their own, so that slow servers which they name do not delay
/// users and the master key.
package struct Fetchers: Sendable {
    private let guests: any Fetcher
    private let others: any Fetcher

    /// - Parameters:
    ///   - others: Fetches for users and the master key.
    ///   - guests: Fetches for guests and clients without credentials; shares no threads with the other one.
    package init(_ others: any Fetcher, guests: any Fetcher) {
        self.others = others
        self.guests = guests
    }

    /// One for all.
    package init(_ fetcher: any Fetcher) {
        self.init(fetcher, guests: fetcher)
    }

    /// The one that fetches for a group.
    func fetcher(for group: CallerGroup) -> any Fetcher {
        group == .guests ? guests : others
    }
}
