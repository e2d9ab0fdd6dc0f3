/// An entry of the audit log, which is only ever added to: an object of the class `_CensorLog`.
package struct CensorLogEntry: Sendable, Hashable {
    /// What happened.
    package enum Event: Sendable, Hashable {
        /// Someone or something decided about a file.
        case verdict(file: ObjectID, Decision)
        /// The settings were changed.
        case settings(before: [String: JSONValue], after: [String: JSONValue], by: String?)
        /// A bulk run was started, cancelled, resumed or is done.
        case run(ObjectID, state: String, by: String?)
        /// Known images were added or removed.
        case known(added: Int, removed: Int, by: String?)
    }

    /// What happened.
    package let event: Event
    /// When.
    package let at: Timestamp

    /// Creates an entry.
    package init(_ event: Event, at moment: Timestamp) {
        self.event = event
        at = moment
    }

    /// The members of the API, and the fields of the stored object.
    package var members: [String: JSONValue] {
        var members: [String: JSONValue]
        switch event {
        case .verdict(let file, let decision):
            members = decision.members
            members["event"] = "verdict"
            members["file"] = .string(file.description)
        case .settings(let before, let after, let by):
            members = ["event": "settings", "before": .object(before), "after": .object(after)]
            members["by"] = by.map(JSONValue.string)
        case .run(let run, let state, let by):
            members = ["event": "run", "run": .string(run.description), "state": .string(state)]
            members["by"] = by.map(JSONValue.string)
        case .known(let added, let removed, let by):
            members = ["event": "known", "added": .integer(Int64(added)), "removed": .integer(Int64(removed))]
            members["by"] = by.map(JSONValue.string)
        }
        members["at"] = .string(at.iso8601)
        return members
    }
}

extension WriteTransaction {
    /// Adds an entry to the audit log.
    package func log(_ entry: CensorLogEntry, ids: ObjectIDGenerator) throws {
        let object = StoredObject(id: ids.next(), createdAt: entry.at, updatedAt: entry.at, fields: entry.members)
        try insert(object, into: .censorLog)
    }
}
