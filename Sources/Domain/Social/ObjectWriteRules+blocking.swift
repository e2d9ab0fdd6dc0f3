/// The rules of block lists: a user who is blocked cannot follow, request a friendship or reach an inbox
/// (docs/people.md).
extension ObjectWriteRules {
    /// Stores that a user blocks another one; without effect if it does.
    func block(_ other: ObjectID, by user: ObjectID) throws {
        try access.caller.requireActing(as: user)
        guard user != other else { throw ServiceError(.badRequest, "A user cannot block itself.") }
        guard try writer.row(other, in: .user) != nil else {
            throw ServiceError(.userNotFound, "Could not find user.")
        }
        try link(.block, user, other, try ObjectChange(.object([:]), allowsPaths: false))
    }

    /// Deletes the object by which a user blocks another one.
    func unblock(_ other: ObjectID, by user: ObjectID) throws {
        try access.caller.requireActing(as: user)
        if let schema = try writer.schema(of: .blocklist) { try access.require(.delete, in: schema) }
        _ = try writer.removePart(of: .blocklist, where: Relation.block.pair(user, other))
    }
}
