/// Finds the roles of a user by going from the user to its roles, so that a role's number of members does not matter.
struct RoleSearch {
    let reader: any ReadTransaction
    /// The maximum number of roles per level, and in total, that grant rights.
    ///
    /// The oldest roles count, so that new roles do not displace those of others.
    let limit: Int

    /// The maximum number of levels of nested roles.
    private static let maxDepth = 64
    /// The maximum number of roles that are read, as a multiple of the limit.
    private static let maxWidth = 8

    /// The user of a session with its roles; `nil` if the user does not exist.
    func user(of session: Session, epoch: Int) throws -> Caller.User? {
        guard try reader.row(session.user, in: .user) != nil else { return nil }
        return Caller.User(id: session.user, session: session.id, roles: try roles(of: session.user), epoch: epoch)
    }

    /// The names of the roles that contain the user, directly or through other roles; each role is visited once, so
    /// loops end.
    private func roles(of user: ObjectID) throws -> Set<String> {
        var names: [ObjectID: String] = [:]
        var level = try roles(holding: [user], in: "users", besides: names)
        for _ in 0..<RoleSearch.maxDepth where !level.isEmpty && names.count < limit * RoleSearch.maxWidth {
            for role in level { names[role.id] = role.text }
            level = try roles(holding: level.map(\.id), in: "roles", besides: names)
        }
        let oldest = names.sorted { $0.key < $1.key }.prefix(limit)
        return Set(oldest.map(\.value))
    }

    private func roles(
        holding members: [ObjectID],
        in relation: String,
        besides known: [ObjectID: String]
    ) throws -> [(id: ObjectID, text: String)] {
        // Known roles can be among the results, so the query requests as many more.
        let holding = ObjectQuery(
            .role,
            where: .relates(key: relation, to: members),
            page: Page(first: limit + known.count)
        )
        let found = try reader.texts("name", of: holding)
        return Array(found.filter { known[$0.id] == nil }.prefix(limit))
    }
}
