/// Who asks, within one app.
package struct Caller: Sendable, Hashable {
    /// What the caller proved to know.
    package enum Role: Sendable, Hashable {
        /// The app key: what every copy of the app knows.
        case client
        /// The master key: the operator, whom no permission stops.
        case master
    }

    /// The app that the caller belongs to; it sees no other.
    package let app: AppID
    /// What the caller proved to know.
    package let role: Role

    /// Made by the ``Authenticator``, and by tests.
    package init(app: AppID, role: Role) {
        self.app = app
        self.role = role
    }

    /// Throws ``ServiceError/Code/forbidden`` unless the caller holds the master key.
    package func requireMaster(to action: String) throws {
        guard role == .master else {
            throw ServiceError(.forbidden, "Forbidden to \(action) by class permissions.")
        }
    }

    /// Throws ``ServiceError/Code/masterKeyRequired`` unless the caller holds the master key.
    package func requireMasterKey() throws {
        guard role == .master else {
            throw ServiceError(.masterKeyRequired, "The request must be signed by master key.")
        }
    }
}
