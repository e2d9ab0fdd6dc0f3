/// One thing to do with the objects of one class, checked for its form.
package struct ObjectCommand: Sendable {
    /// The class.
    package let className: ClassName
    /// What to do.
    package let action: Action
    /// What the reply shows.
    package let view: ObjectView
    /// Whether a log-in by `authData` makes no user who is not there: `failOnNotExist`.
    package let mustExist: Bool

    /// Takes checked parts.
    package init(_ className: ClassName, _ action: Action, view: ObjectView = .plain, mustExist: Bool = false) {
        self.className = className
        self.action = action
        self.view = view
        self.mustExist = mustExist
    }

    /// What to do.
    package enum Action: Sendable {
        /// Make an object; `returnsObject` asks for all of it in the reply.
        case create(ObjectChange, returnsObject: Bool)
        /// Change an object if the condition holds for it.
        case update(ObjectID, ObjectChange, where: Condition?, returnsObject: Bool)
        /// Remove objects for which the condition holds.
        case delete([ObjectID], where: Condition?)
        /// Read an object.
        case get(ObjectID)
        /// Read objects, count them, or both.
        case find(Search)
    }

    /// The parts of a query.
    package struct Search: Sendable {
        /// What must hold.
        package var condition: Condition
        /// Keys of the order.
        package var order: [SortKey]
        /// Which part of the list.
        package var page: Page
        /// Whether the number of all that match is asked for.
        package var counts: Bool
        /// A relation of the class whose target class is queried instead (protocol/data 4).
        package var redirectKey: String?

        /// Takes every part.
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

    /// What must hold for a change.
    var condition: Condition? {
        switch action {
        case .update(_, _, let condition, _), .delete(_, let condition): condition
        case .create, .get, .find: nil
        }
    }

    /// What it changes under which condition; `nil` for a change without one.
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

    /// The same change under another condition.
    func with(condition: Condition) -> ObjectCommand {
        switch action {
        case .update(let id, let change, _, let returnsObject):
            ObjectCommand(className, .update(id, change, where: condition, returnsObject: returnsObject), view: view)
        case .delete(let ids, _):
            ObjectCommand(className, .delete(ids, where: condition), view: view)
        case .create, .get, .find:
            self
        }
    }

    /// The same without the object in the reply.
    var brief: ObjectCommand {
        switch action {
        case .create(let change, _):
            ObjectCommand(className, .create(change, returnsObject: false), view: view, mustExist: mustExist)
        case .update(let id, let change, let condition, _):
            ObjectCommand(className, .update(id, change, where: condition, returnsObject: false), view: view)
        case .delete, .get, .find:
            self
        }
    }

    /// The same with another change of the object.
    func with(change: ObjectChange) -> ObjectCommand {
        switch action {
        case .create(_, let returnsObject):
            ObjectCommand(className, .create(change, returnsObject: returnsObject), view: view, mustExist: mustExist)
        case .update(let id, _, let condition, let returnsObject):
            ObjectCommand(className, .update(id, change, where: condition, returnsObject: returnsObject), view: view)
        case .delete, .get, .find:
            self
        }
    }

    /// The object that it changes; nothing for a new one.
    var changed: ObjectID? {
        guard case .update(let id, _, _, _) = action else { return nil }
        return id
    }

    /// What it says of one object's fields.
    var change: ObjectChange? {
        switch action {
        case .create(let change, _), .update(_, let change, _, _): change
        case .delete, .get, .find: nil
        }
    }

    /// Whether nothing changes by it.
    package var isRead: Bool {
        switch action {
        case .get, .find: true
        case .create, .update, .delete: false
        }
    }
}
