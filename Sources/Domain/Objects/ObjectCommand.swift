/// One operation on the objects of one class, with its form checked.
package struct ObjectCommand: Sendable {
    /// The class.
    package let className: ClassName
    /// The operation.
    package let action: Action
    /// The parts of objects that the reply shows.
    package let view: ObjectView
    /// Whether a log-in by `authData` fails for an unknown user instead of creating it: `failOnNotExist`.
    package let mustExist: Bool

    /// Creates a command from checked parts.
    package init(_ className: ClassName, _ action: Action, view: ObjectView = .plain, mustExist: Bool = false) {
        self.className = className
        self.action = action
        self.view = view
        self.mustExist = mustExist
    }

    /// The operation of a command.
    package enum Action: Sendable {
        /// Create an object; with `returnsObject` the reply contains all its fields.
        case create(ObjectChange, returnsObject: Bool)
        /// Update an object if the condition holds for it.
        case update(ObjectID, ObjectChange, where: Condition?, returnsObject: Bool)
        /// Delete the objects for which the condition holds.
        case delete([ObjectID], where: Condition?)
        /// Change objects by a rule; the change has the fields that the rule gives them.
        case apply(ObjectChange, ObjectRule)
        /// Read an object.
        case get(ObjectID)
        /// Read objects, count them, or both.
        case find(Search)
    }

    /// The parts of a query.
    package struct Search: Sendable {
        /// The condition that objects must match.
        package var condition: Condition
        /// The sort keys.
        package var order: [SortKey]
        /// The part of the result list to return.
        package var page: Page
        /// Whether to count all matching objects.
        package var counts: Bool
        /// A relation of the class whose target class is queried instead (protocol/data 4).
        package var redirectKey: String?

        /// Creates a query from its parts.
        package init(
            where condition: Condition = .always,
            order: [SortKey] = [],
            page: Page,
            counts: Bool = false,
            redirectKey: String? = nil
        ) {
            self.condition = condition
            self.order = order
            self.page = page
            self.counts = counts
            self.redirectKey = redirectKey
        }
    }

    /// The condition of a change.
    var condition: Condition? {
        switch action {
        case .update(_, _, let condition, _), .delete(_, let condition): condition
        case .create, .apply, .get, .find: nil
        }
    }

    /// The change with its condition; `nil` for a change without a condition.
    var guarded: GuardedChange? {
        switch action {
        case .update(let id, _, let condition?, _):
            GuardedChange(className: className, ids: [id], condition: condition)
        case .delete(let ids, let condition?):
            GuardedChange(className: className, ids: ids, condition: condition)
        default:
            nil
        }
    }

    /// The same change with another condition.
    func with(condition: Condition) -> ObjectCommand {
        switch action {
        case .update(let id, let change, _, let returnsObject):
            ObjectCommand(className, .update(id, change, where: condition, returnsObject: returnsObject), view: view)
        case .delete(let ids, _):
            ObjectCommand(className, .delete(ids, where: condition), view: view)
        case .create, .apply, .get, .find:
            self
        }
    }

    /// The same command without the object in the reply.
    var brief: ObjectCommand {
        switch action {
        case .create(let change, _):
            ObjectCommand(className, .create(change, returnsObject: false), view: view, mustExist: mustExist)
        case .update(let id, let change, let condition, _):
            ObjectCommand(className, .update(id, change, where: condition, returnsObject: false), view: view)
        case .delete, .apply, .get, .find:
            self
        }
    }

    /// The same command with another change of the object.
    func with(change: ObjectChange) -> ObjectCommand {
        switch action {
        case .create(_, let returnsObject):
            ObjectCommand(className, .create(change, returnsObject: returnsObject), view: view, mustExist: mustExist)
        case .update(let id, _, let condition, let returnsObject):
            ObjectCommand(className, .update(id, change, where: condition, returnsObject: returnsObject), view: view)
        case .apply(_, let rule):
            ObjectCommand(className, .apply(change, rule), view: view)
        case .delete, .get, .find:
            self
        }
    }

    /// The object that the command updates; `nil` for a new one.
    var changed: ObjectID? {
        guard case .update(let id, _, _, _) = action else { return nil }
        return id
    }

    /// The change of one object's fields; `nil` for other commands.
    var change: ObjectChange? {
        switch action {
        case .create(let change, _), .update(_, let change, _, _), .apply(let change, _): change
        case .delete, .get, .find: nil
        }
    }

    /// Whether the command reads one row, apart from the files in its fields.
    var isLookUp: Bool {
        guard case .get = action else { return false }
        return view.include.isEmpty
    }

    /// Whether the command only reads.
    package var isRead: Bool {
        switch action {
        case .get, .find: true
        case .create, .update, .delete, .apply: false
        }
    }
}
