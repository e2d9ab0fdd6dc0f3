/// One thing to do with the objects of one class, checked for its form.
package struct ObjectCommand: Sendable {
    /// The class.
    package let className: ClassName
    /// What to do.
    package let action: Action
    /// What the reply shows.
    package let view: ObjectView

    /// Takes checked parts.
    package init(_ className: ClassName, _ action: Action, view: ObjectView = .plain) {
        self.className = className
        self.action = action
        self.view = view
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
        /// A relation of the class whose target class is queried instead (data-protocol 4).
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
            ObjectCommand(className, .create(change, returnsObject: false), view: view)
        case .update(let id, let change, let condition, _):
            ObjectCommand(className, .update(id, change, where: condition, returnsObject: false), view: view)
        case .delete, .get, .find:
            self
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

/// What a command gives.
package struct ObjectReply: Sendable {
    /// The body of the answer: JSON text.
    package var text: [UInt8]
    /// How many objects it shows.
    package var found = 0
    /// The object that was made, if one was.
    package var created: Pointer?
    /// Keys of files whose records were removed; their bytes go next.
    package var removedFiles: [FileKey] = []

    /// A reply of text.
    init(text: [UInt8], found: Int) {
        self.text = text
        self.found = found
    }

    /// A reply that shows no whole object.
    init(_ members: [String: JSONValue]) {
        text = JSONValue.object(members).encoded()
    }

    /// The body as a value, for those who look into it.
    package var json: JSONValue {
        get throws { try JSONValue(parsing: text, field: "reply") }
    }
}
