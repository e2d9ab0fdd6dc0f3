/// A member of a relation with the object that owns the relation; ordered by owner, then by member.
package struct Membership: Hashable, Comparable, Sendable {
    /// The object that has the relation.
    package let owner: ObjectID
    /// An object in the relation.
    package let member: ObjectID

    /// Creates the value.
    package init(owner: ObjectID, member: ObjectID) {
        self.owner = owner
        self.member = member
    }

    /// Compares owners, then members.
    package static func < (left: Membership, right: Membership) -> Bool {
        (left.owner, left.member) < (right.owner, right.member)
    }
}
