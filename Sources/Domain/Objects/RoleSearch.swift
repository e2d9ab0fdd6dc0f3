/// Finds the roles of a user upwards from the user, so that the number of a role's members does not matter.
struct RoleSearch {
    let reader: any ReadTransaction
    /// The maximum number of roles of one level, and of all levels, that grant rights: the oldest ones, so that new
    /// roles do not displace those of others.
    let limit: Int

    /// The most levels of roles in roles that are followed.
    private static let maxDepth = 64
    /// How many times the limit is looked at in all.
    private static let maxWidth = 8

    /// The user of a session with its roles; `nil` if it is gone.
    func user(of session: Session, epoch: Int) throws -> Caller.User? {
        guard try reader.row(session.user, in: .user) != nil else { return nil }
        return Caller.User(id: session.user, session: session.id, roles: try roles(of: session.user), epoch: epoch)
    }

    /// The names of the roles that hold the user, and of those that hold these roles, and so on; loops end by
    /// themselves, because each role is visited once.
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
        // Some that are found may be known, so that as many more are asked for.
        let holding = ObjectQuery(
            .role,
            where: .relates(key: relation, to: members),
            page: Page(first: limit + known.count)
        )
        let found = try reader.texts("name", of: holding)
        return Array(found.filter { known[$0.id] == nil }.prefix(limit))
    }
}
