/// Reports when the client of a request disconnects.
package protocol CallerPresence: Sendable {
    /// Runs the body when the client disconnects, on any thread; soon if it has disconnected already.
    ///
    /// The body runs at most once. After ``unwatch()`` it does not start any more.
    func watch(_ gone: @escaping @Sendable () -> Void)

    /// Releases the body.
    func unwatch()
}
