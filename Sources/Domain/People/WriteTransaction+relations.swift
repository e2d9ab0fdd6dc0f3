extension WriteTransaction {
    /// Deletes what belongs to deleted objects: of a followee the follower's object and the reverse, of a status its
    /// places in inboxes.
    ///
    /// A followee who is a friend stays when the follower is removed. Throws ``ServiceError/Code/timedOut`` if the time
    /// is over.
    func removeLinks(
        of objects: [StoredObject],
        in name: ClassName,
        ids: ObjectIDGenerator,
        at now: Timestamp,
        within time: TransactionTime
    ) throws {
        switch name {
        case .status: try withdraw(objects.map(\.id), ids: ids, at: now, within: time)
        case .followee:
            for users in objects.compactMap(Relation.followee.users) {
                try time.acceptObject()
                _ = try removePart(of: .follower, where: Relation.follower.pair(users.other, users.user))
            }
        case .follower:
            for users in objects.compactMap(Relation.follower.users) {
                try time.acceptObject()
                let isFriend = Condition.field(FieldPath(field: "friendStatus"), .equals(.bool(true)))
                let followees = Condition.all([Relation.followee.pair(users.other, users.user), .not(isFriend)])
                _ = try removePart(of: .followee, where: followees)
            }
        default: break
        }
    }

    /// Queues the removal of what a deleted user had: relations, statuses, inboxes.
    func forgetPeople(of user: ObjectID, ids: ObjectIDGenerator, at now: Timestamp) throws {
        try queue(PeopleJob(.forget, user, id: ids.next(), at: now))
    }

    /// Removes a part of what a deleted user had.
    ///
    /// - Returns: Whether nothing is left.
    /// - Throws: Errors of the store.
    func forget(_ user: ObjectID, ids: ObjectIDGenerator, at now: Timestamp) throws -> Bool {
        // A user who was imported again with its id has new relations.
        guard try row(user, in: .user) == nil else { return true }
        for relation in Relation.allCases {
            for condition in [Relation.belongs(to: user), relation.names(user)] {
                guard try removePart(of: relation.className, where: condition) else { return false }
            }
        }
        let own = Condition.field(FieldPath(field: "source"), .equals(Pointer(.user, user).json))
        let statuses = try rows(ObjectQuery(.status, where: own, page: Page(first: 5))).map(\.id)
        if !statuses.isEmpty {
            try delete(statuses, in: .status)
            try withdraw(statuses, ids: ids, at: now)
            return false
        }
        guard try removePart(of: .inboxItem, where: .begins(InboxItem.place, with: user.description)) else {
            return false
        }
        return try removePart(of: .inbox, where: .begins(Inbox.box, with: user.description))
    }
}
