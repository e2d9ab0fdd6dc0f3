/// Where one app's objects are kept: transactions over classes.
///
/// The rules run inside the transactions, so that each write sees what it changes; they are plain functions without
/// `await`. SQLite implements it; tests have one in memory; both pass one contract suite.
///
/// Transactions are serialisable: the result is as if their bodies had run one after the other, and a transaction that
/// begins after another one has returned sees what that one changed. So a rule that counts and then inserts needs no
/// lock. A store is free to run bodies at the same time. When a commit changes what another body has read, the store
/// undoes that body's changes and runs it again; it also does so after a failure that may pass, such as a full disk
/// with a reserve. Therefore:
///
/// - A body has no effect outside its transaction, and what it gathers in a captured variable begins anew with each
///   run. Only the last run's result, error and changes count.
/// - When a transaction cannot go on, every call throws. A body that catches such an error and returns runs again all
///   the same, because the store remembers the conflict.
/// - An error of a call ends the transaction, unless the call was made inside ``WriteTransaction/attempt(_:)``.
package protocol ObjectStore: Sendable {
    /// Every object that a transaction creates, updates or deletes, published after its commit and in commit order.
    ///
    /// When ``write(_:)`` returns, synchronous subscribers have been called with its changes, exactly once, and
    /// buffered ones have them or know that they missed some. Nothing is published of a body that threw, of an attempt
    /// that was undone and of a commit that failed. A store that other processes change, too, publishes their changes
    /// as it learns of them, or ``ChangeFeed/Event/missed``; of those, no bound on the delay is promised.
    var changes: ChangeFeed { get }

    /// Runs a body on one unchanging state. ``QueryBudget/cancel()`` stops the query that runs.
    ///
    /// The body may run several times, for example when a slow query moves to another lane.
    ///
    /// - Parameters:
    ///   - budget: How long the body may run; queries that exceed it throw what it throws. `nil` is for reads whose
    ///     work their arguments bound, such as that of one object.
    ///   - body: What is read.
    /// - Returns: What the body gives.
    /// - Throws: What the body throws, and what the budget throws.
    func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result

    /// Runs a body that may change the state: all of it or, if it throws, nothing. On return the changes survive a
    /// power cut.
    ///
    /// The body may run several times. It must be short, because others may wait for it or have to run again after it.
    /// What it throws is true of a state between the call and its end.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result
}

extension ObjectStore {
    /// A read whose work its arguments bound.
    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await read(within: nil, body)
    }
}

/// What can be asked inside a transaction; must not leave it.
package protocol ReadTransaction {
    /// How long the body that reads may run; `nil` in changes, and in reads that are bounded by themselves. Work
    /// outside the store checks it, too.
    var budget: QueryBudget? { get }

    /// The class, if there is one.
    func schema(of name: ClassName) throws -> ClassSchema?

    /// Every class, by name.
    func schemas() throws -> [ClassSchema]

    /// The object, if there is one.
    func row(_ id: ObjectID, in name: ClassName) throws -> ObjectRow?

    /// Those of the objects that there are for the readers, in any order; they stop before their JSON passes so many
    /// bytes.
    func rows(
        _ ids: Set<ObjectID>,
        in name: ClassName,
        readableBy readers: Readers,
        upTo size: Int
    ) throws -> [ObjectRow]

    /// What a query finds; nothing for a class that is not there.
    ///
    /// Sub-queries must have been replaced before; evaluating one throws ``ServiceError/Code/internalFailure``.
    func rows(_ query: ObjectQuery) throws -> [ObjectRow]

    /// Of what a query finds the ids and one field of text, without reading all the rest; an object without it is left
    /// out.
    func texts(_ field: String, of query: ObjectQuery) throws -> [(id: ObjectID, text: String)]

    /// How many objects a query finds, whatever its page and size.
    func count(_ query: ObjectQuery) throws -> Int

    /// Whether a relation of an object holds one of these objects.
    func isRelated(_ owner: Pointer, _ key: String, to members: ArraySlice<ObjectID>) throws -> Bool
}

extension ReadTransaction {
    /// The object, if there is one.
    package func object(_ id: ObjectID, in name: ClassName) throws -> StoredObject? {
        try row(id, in: name)?.object()
    }

    /// How many objects of a class a condition holds for.
    package func count(_ condition: Condition, in name: ClassName) throws -> Int {
        try count(ObjectQuery(name, where: condition))
    }

    /// What a query finds, with its fields.
    package func find(_ query: ObjectQuery) throws -> [StoredObject] {
        try rows(query).map { try $0.object() }
    }
}

/// What can be changed inside a transaction; must not leave it.
package protocol WriteTransaction: ReadTransaction {
    /// The caller for whom the changes that follow are made, as ``Change/caller`` tells; nil, as at first, for the
    /// server itself.
    var caller: Caller? { get nonmutating set }

    /// Runs a body whose changes vanish if it throws, while those around it stay.
    ///
    /// After that the transaction goes on, also after an error of one of its calls.
    func attempt<Result>(_ body: () throws -> Result) throws -> Result

    /// Makes a class or changes what is known of it; indexes are made and dropped to fit.
    ///
    /// Throws ``ServiceError/Code/duplicateValue`` if a unique index meets equal values.
    func save(_ schema: ClassSchema) throws

    /// Adds an object to a class that is there.
    ///
    /// Throws ``ServiceError/Code/duplicateValue`` naming the field of a unique index, or `objectId` if the id is taken.
    func insert(_ object: StoredObject, into name: ClassName) throws

    /// Replaces an object; one that is not there is not made.
    ///
    /// - Parameters:
    ///   - object: The object as it is from now on.
    ///   - name: Its class.
    ///   - before: The object as this transaction read it, for ``Change/before``; with nil the store reads it, if a
    ///     subscriber asks for it.
    /// - Throws: ``ServiceError/Code/duplicateValue`` naming the field of a unique index.
    func update(_ object: StoredObject, in name: ClassName, from before: StoredObject?) throws

    /// Removes objects and their places in relations, with as many statements for a thousand objects as for one.
    ///
    /// - Parameters:
    ///   - ids: The objects; their changes are published in this order. An id that stands twice counts once.
    ///   - name: Their class.
    /// - Returns: The ids of those that were there.
    /// - Throws: What the store throws; an object that is not there is no error.
    @discardableResult
    func delete(_ ids: [ObjectID], in name: ClassName) throws -> Set<ObjectID>

    /// Puts objects into a relation; those that are in it stay.
    ///
    /// Relations are not published separately: a change of a relation updates its owner in the same transaction.
    func relate(_ owner: Pointer, _ key: String, to members: [ObjectID]) throws

    /// Takes objects out of a relation; nothing means all.
    func unrelate(_ owner: Pointer, _ key: String, from members: [ObjectID]?) throws

    /// The next number of a field that counts up: 1, 2, 3, never the same twice. A run that is undone may use up
    /// numbers.
    func nextNumber(of field: String, in name: ClassName) throws -> Int64
}

extension WriteTransaction {
    /// Replaces an object of which the former state is not at hand.
    package func update(_ object: StoredObject, in name: ClassName) throws {
        try update(object, in: name, from: nil)
    }

    /// Removes an object and its places in relations; returns whether it was there.
    package func delete(_ id: ObjectID, in name: ClassName) throws -> Bool {
        try !delete([id], in: name).isEmpty
    }
}

/// A query that is ready for a store.
package struct ObjectQuery: Sendable {
    /// The class.
    package var className: ClassName
    /// What must hold.
    package var condition: Condition
    /// Whose rights count: objects that they may not read are as if they were not there.
    package var readers: Readers
    /// Keys of the order; with none, and no circle in the condition, objects come in the order they were made.
    package var order: [SortKey]
    /// Which part of the list.
    package var page: Page
    /// Objects stop before their JSON passes this many bytes; at least one is found.
    package var replySize: Int

    /// Takes every part.
    package init(
        _ className: ClassName,
        where condition: Condition = .always,
        readableBy readers: Readers = .unrestricted,
        order: [SortKey] = [],
        page: Page = .first,
        replySize: Int = .max
    ) {
        self.className = className
        self.condition = condition
        self.readers = readers
        self.order = order
        self.page = page
        self.replySize = replySize
    }
}
