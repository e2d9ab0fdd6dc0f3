/// One object that a committed transaction created, updated or deleted.
package struct Change: Sendable {
    /// The kinds of changes.
    package enum Kind: Sendable, Hashable, CaseIterable {
        /// The object did not exist before.
        case created
        /// The object existed before and after. A change of its relations comes with an update of the object.
        case updated
        /// The object does not exist any more.
        case deleted
    }

    /// The object's class.
    package let className: ClassName
    /// The object's id.
    package let id: ObjectID
    /// The kind of the change.
    package let kind: Kind
    /// The object before the change; `nil` if it was created, if no subscriber requested this state, or if the
    /// transaction had no room for it.
    package let before: ObjectState?
    /// The object after the change; `nil` if it was deleted, if no subscriber requested this state, or if the
    /// transaction had no room for it.
    package let after: ObjectState?
    /// The caller who made the change, as the transaction found it; `nil` for this server itself and for other servers.
    package let caller: Caller?

    /// Creates a change; called by stores and tests.
    package init(
        _ kind: Kind,
        _ id: ObjectID,
        in className: ClassName,
        before: ObjectState? = nil,
        after: ObjectState? = nil,
        by caller: Caller? = nil
    ) {
        self.className = className
        self.id = id
        self.kind = kind
        self.before = before
        self.after = after
        self.caller = caller
    }

    /// The size of the states' JSON in bytes, which is most of the memory of the change.
    package var size: Int { (before?.size ?? 0) + (after?.size ?? 0) }

    /// The change without its states.
    var withoutStates: Change { Change(kind, id, in: className, by: caller) }
}

/// An object at one moment, as text: parsed values can take forty times the memory.
package struct ObjectState: Sendable {
    /// The object's JSON text.
    package let row: ObjectRow

    /// Creates a state from the row that the store read.
    package init(_ row: ObjectRow) {
        self.row = row
    }

    /// Creates a state from the object that the rules made or read.
    package init(_ object: StoredObject) {
        row = ObjectRow(object)
    }

    /// The object with parsed fields.
    ///
    /// - Throws: ``ServiceError/Code/internalFailure`` for invalid text, which only another program can have written.
    package func object() throws -> StoredObject { try row.object() }

    /// The size of its JSON in bytes.
    package var size: Int { row.size }
}
