/// Objects that relate users, and statuses: clients create them by calls of their own (docs/people.md).
extension ObjectWriteRules {
    /// Throws ``ServiceError/Code/forbidden`` if a client creates such an object, or changes a status or a request for
    /// friendship.
    func requireOrdinaryChange(of name: ClassName, by operation: ClassOperation) throws {
        guard !access.caller.isMaster, let call = ObjectWriteRules.calls[name] else { return }
        guard operation != .create else {
            throw ServiceError(.forbidden, "Objects of '\(name)' are created by \(call), and not directly.")
        }
        guard operation != .update || name != .status else {
            throw ServiceError(.forbidden, "A status cannot be changed; delete it and publish another one.")
        }
        // By its ACL one user could hide it from the other one, who answers and deletes it.
        guard operation != .update || name != .friendshipRequest else {
            throw ServiceError(.forbidden, "A request for friendship cannot be changed; it is accepted or declined.")
        }
    }

    private static let calls: [ClassName: String] = [
        .follower: "POST /1.1/users/self/friendship/<objectId>",
        .followee: "POST /1.1/users/self/friendship/<objectId>",
        .friendshipRequest: "POST /1.1/users/friendshipRequests",
        .blocklist: "POST /1.1/users/self/friendBlocklist/<objectId>",
        .status: "POST /1.1/statuses",
    ]
}
