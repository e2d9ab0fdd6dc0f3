/// Whether the caller of a request is still there to take its answer.
package protocol CallerPresence: Sendable {
    /// Runs the body when the caller goes, on any thread, or soon if it has gone; once at most, and not any more after
    /// ``unwatch()`` unless it runs already.
    func watch(_ gone: @escaping @Sendable () -> Void)

    /// Forgets the body.
    func unwatch()
}
