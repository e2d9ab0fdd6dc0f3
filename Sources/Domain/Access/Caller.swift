/// The caller of a request, within one app.
package struct Caller: Sendable, Hashable {
    /// A user with a session.
    package struct User: Sendable, Hashable {
        /// The user's objectId.
        package let id: ObjectID
        /// The session to which the token belongs.
        package let session: ObjectID
        /// The names of all roles of the user, directly or through other roles.
        package let roles: Set<String>
        /// The user's subjects in ACLs.
        package let subjects: Subjects
        /// The epoch before these facts were read (``SessionCache/epoch``); -1 makes every transaction look them up
        /// again.
        package let epoch: Int

        /// Creates a user from the facts about a valid token.
        package init(id: ObjectID, session: ObjectID, roles: Set<String> = [], epoch: Int = -1) {
            self.id = id
            self.session = session
            self.roles = roles
            self.epoch = epoch
            subjects = Subjects(user: id, roles: roles)
        }
    }

    /// The app that the caller belongs to; other apps are not visible.
    package let app: AppID
    /// Whether the caller proved to know the master key.
    package let isMaster: Bool
    /// The logged-in user; `nil` for a guest, and for a client with a stale token (protocol/data 1.2).
    package let user: User?
    /// The client's IP address; empty without a connection.
    package let address: String

    /// Creates a caller; used by the ``Authenticator`` and by tests.
    package init(app: AppID, isMaster: Bool = false, user: User? = nil, address: String = "") {
        self.app = app
        self.isMaster = isMaster
        self.user = user
        self.address = address
    }

    /// The same caller with a user.
    package func logged(in user: User) -> Caller {
        Caller(app: app, isMaster: isMaster, user: user, address: address)
    }

    /// The same caller with an address.
    package func at(address: String) -> Caller {
        Caller(app: app, isMaster: isMaster, user: user, address: address)
    }

    /// The ACL entries that grant the caller read access to objects.
    package var readers: Readers {
        isMaster ? .unrestricted : .subjects(subjects)
    }

    /// The caller's subjects in ACLs.
    package var subjects: Subjects { user?.subjects ?? .guest }

    /// Throws ``ServiceError/Code/masterKeyRequired`` unless the caller holds the master key.
    package func requireMasterKey() throws {
        guard isMaster else {
            throw ServiceError(.masterKeyRequired, "The request must be signed by master key.")
        }
    }

    /// Throws ``ServiceError/Code/sessionRequired`` unless the caller is a user, or has the master key.
    func requireActing(as user: ObjectID) throws {
        guard isMaster || self.user?.id == user else { throw Caller.noSession }
    }

    /// The refusal of a caller without the session of the user whom the request is about.
    static let noSession = ServiceError(
        .sessionRequired,
        "The user cannot be altered by a client without the session."
    )
}
