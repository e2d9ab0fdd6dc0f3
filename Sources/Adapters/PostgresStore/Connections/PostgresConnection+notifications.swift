internal import CPostgres
internal import Glibc

extension PostgresConnection {
    /// Waits until a notification arrives or the time is over.
    ///
    /// - Parameters:
    ///   - sender: The text of notifications that do not count.
    ///   - milliseconds: The longest wait.
    /// - Returns: Whether one arrived.
    /// - Throws: ``PostgresError`` if the connection is lost.
    func waitForNotification(except sender: String, milliseconds: CInt) throws -> Bool {
        if takeNotifications(except: sender) { return true }
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, milliseconds) > 0 else { return false }
        guard PQconsumeInput(handle) == 1 else { throw loss() }
        return takeNotifications(except: sender)
    }

    private func takeNotifications(except sender: String) -> Bool {
        var found = false
        while let notification = PQnotifies(handle) {
            if let text = notification.pointee.extra, String(cString: text) != sender { found = true }
            PQfreemem(notification)
        }
        return found
    }
}
