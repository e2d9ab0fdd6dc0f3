/// One object that a committed transaction created, updated or deleted.
package struct Change: Sendable {
    /// What happened to the object.
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
    /// What happened to it.
    package let kind: Kind
    /// The object before the change; nil if it was created, or if no subscriber asked for this state.
    package let before: ObjectState?
    /// The object after the change; nil if it was deleted, or if no subscriber asked for this state.
    package let after: ObjectState?
    /// The caller who made the change, as the transaction found them; nil if the server itself made it, or another
    /// server.
    package let caller: Caller?

    /// Takes every part; made by stores, and by tests.
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

    /// The bytes of the states' JSON, which is most of the memory that the change takes.
    package var size: Int { (before?.size ?? 0) + (after?.size ?? 0) }
}

/// An object at one moment, in the form that the writer had; the other form costs a parse or an encoding when it is
/// used.
package struct ObjectState: Sendable {
    private enum Form: Sendable {
        case row(ObjectRow)
        case object(StoredObject)
    }

    private let form: Form

    /// A state as the store read it.
    package init(_ row: ObjectRow) {
        form = .row(row)
    }

    /// A state as the rules made or read it.
    package init(_ object: StoredObject) {
        form = .object(object)
    }

    /// The object's JSON text.
    package var row: ObjectRow {
        switch form {
        case .row(let row): row
        case .object(let object): ObjectRow(object)
        }
    }

    /// The object with its fields.
    ///
    /// - Throws: ``ServiceError/Code/internalFailure`` for text that only another program can have written.
    package func object() throws -> StoredObject {
        switch form {
        case .row(let row): try row.object()
        case .object(let object): object
        }
    }

    /// The bytes of its JSON.
    package var size: Int { row.size }
}
