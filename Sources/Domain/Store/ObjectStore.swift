/// The store of one app's objects: transactions over classes.
///
/// The rules run inside the transactions, so that each write sees the state that it changes; they are plain functions
/// without `await`. SQLite implements the protocol; tests have an implementation in memory; both pass one contract
/// suite.
///
/// Transactions are serialisable: the result is as if their bodies had run one after the other, and a transaction that
/// begins after another one has returned sees the changes of that one. So a rule that counts and then inserts needs no
/// lock. A store is free to run bodies at the same time. When a commit changes data that another body has read, the
/// store undoes that body's changes and runs it again; it also does so after a temporary failure, such as a full disk
/// with a reserve. Therefore:
///
/// - A body has no effect outside its transaction, and a captured variable that it fills starts anew with each run.
///   Only the last run's result, error and changes count.
/// - When a transaction cannot continue, every call throws. A body that catches such an error and returns is still run
///   again, because the store remembers the conflict.
/// - An error of a call ends the transaction, unless the call was made inside ``WriteTransaction/attempt(_:)``.
package protocol ObjectStore: Sendable {
    /// Every object that a transaction creates, updates or deletes, published after its commit and in commit order.
    ///
    /// When ``write(_:)`` returns, synchronous subscribers have been called with its changes, exactly once, and
    /// buffered ones have them or know that they missed some. Changes of a body that threw, of an attempt that was
    /// undone and of a commit that failed are not published. A store that other processes also change publishes their
    /// changes, or ``ChangeFeed/Event/missed``, when it learns of them; it promises no bound on that delay.
    var changes: ChangeFeed { get }

    /// Whether other servers can change the objects; `false` unless the store says otherwise.
    ///
    /// What a server remembers of a shared store is as old as the feed, and work that must be done once needs a lease.
    var isShared: Bool { get }

    /// What the servers of a shared store agree on; `nil` for one that is not shared, which is the default.
    var coordination: (any ServerCoordination)? { get }

    /// Runs a body on one unchanging state; ``QueryBudget/cancel()`` stops the current query.
    ///
    /// The body can run several times, for example when a slow query moves to another lane.
    ///
    /// - Parameters:
    ///   - budget: The time limit of the body; queries that exceed it throw the budget's error. `nil` is for reads
    ///     whose arguments bound their work, such as a read of one object.
    ///   - body: The reads.
    /// - Returns: The result of the body.
    /// - Throws: Errors of the body and of the budget.
    func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result

    /// Runs a body that reads a few objects by their ids, on one unchanging state.
    ///
    /// The body must be short, because a store can answer it from memory on the task that calls. It can run several
    /// times.
    ///
    /// - Parameter body: The reads; other reads than ``ReadTransaction/row(_:in:)``,
    ///   ``ReadTransaction/rows(_:in:readableBy:upTo:reading:)`` and ``ReadTransaction/schema(of:)`` cost as much as in
    ///   ``read(within:_:)``.
    /// - Returns: The result of the body.
    /// - Throws: Errors of the body and of the store.
    func lookUp<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result

    /// Runs a body that can change the state: all of its changes or, if it throws, none are applied.
    ///
    /// When it returns, the changes survive a power cut. The body can run several times. It must be short, because
    /// other bodies can wait for it or have to run again after it. The error that it throws is true of a state between
    /// the call and its end.
    ///
    /// A write that fails because the storage does can come back when the server is killed before the next write has
    /// returned, even one that changes nothing; after that it never does.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result

    /// Returns when each transaction of this server that had begun to record its changes before the call has ended, and its
    /// changes are published.
    ///
    /// The default is for stores with one such transaction at a time: a write that changes nothing.
    func awaitRunningWrites() async
}

extension ObjectStore {
    package var isShared: Bool { false }

    package var coordination: (any ServerCoordination)? { nil }

    package func awaitRunningWrites() async {
        // If it fails, the transactions before it have ended nevertheless.
        _ = try? await write { _ in }
    }

    package func lookUp<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await read(within: nil, body)
    }

    /// Runs a read whose arguments bound its work.
    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await read(within: nil, body)
    }
}

/// The reads inside a transaction; the value must not leave it.
package protocol ReadTransaction {
    /// The time limit of the body that reads; `nil` in changes and in reads without a limit.
    ///
    /// Work outside the store checks it, too.
    var budget: QueryBudget? { get }

    /// The number of this transaction's changes that can concern callers (``ChangeFilter/ofCallers``).
    ///
    /// No subscriber knows of them before the commit, so a cache of callers cannot be asked. A store that commits several
    /// bodies together includes those before this one. Always 0 in reads.
    var callerChanges: Int { get }

    /// The schema of a class; `nil` if it does not exist.
    func schema(of name: ClassName) throws -> ClassSchema?

    /// The schemas of all classes, by name.
    func schemas() throws -> [ClassSchema]

    /// An object; `nil` if it does not exist.
    func row(_ id: ObjectID, in name: ClassName) throws -> ObjectRow?

    /// The objects of a list that exist for the readers, in any order, until their JSON exceeds a number of bytes.
    ///
    /// - Parameters:
    ///   - ids: The ids.
    ///   - name: The class.
    ///   - readers: The ACL entries of the reader.
    ///   - size: The maximum size of all rows in bytes; the first row that exceeds it ends the result.
    ///   - projection: The fields that are read and counted; `nil` reads all.
    /// - Returns: The rows.
    /// - Throws: Errors of the store.
    func rows(
        _ ids: Set<ObjectID>,
        in name: ClassName,
        readableBy readers: Readers,
        upTo size: Int,
        reading projection: RowProjection?
    ) throws -> [ObjectRow]

    /// The objects that a query finds; empty for a class that does not exist.
    ///
    /// Sub-queries must be resolved before; evaluating one throws ``ServiceError/Code/internalFailure``.
    func rows(_ query: ObjectQuery) throws -> [ObjectRow]

    /// All objects of a class whose rows are what was written, for what a start needs; empty for a class that does not
    /// exist.
    ///
    /// - Parameters:
    ///   - name: The class.
    ///   - onDamage: Called with the id of each damaged row, as far as it can be read.
    /// - Returns: The other rows.
    /// - Throws: Errors of the store that are no damage to one row.
    func intactRows(in name: ClassName, onDamage: (String) -> Void) throws -> [ObjectRow]

    /// The ids and one string field of the objects that a query finds, without reading the rest.
    ///
    /// Objects without the field are left out.
    func texts(_ field: String, of query: ObjectQuery) throws -> [(id: ObjectID, text: String)]

    /// The number of objects that match a query, regardless of its page and size.
    func count(_ query: ObjectQuery) throws -> Int

    /// How ``rows(_:)`` or, with `counting`, ``count(_:)`` runs a query; `nil` for a class that does not exist.
    ///
    /// The query does not run. Sub-queries must be resolved before. The explanation contains names and values of the
    /// store, so it is only for the master key.
    func explain(_ query: ObjectQuery, counting: Bool) throws -> QueryExplanation?

    /// Whether a relation of an object contains one of these objects.
    func isRelated(_ owner: Pointer, _ key: String, to members: ArraySlice<ObjectID>) throws -> Bool

    /// Those of the objects that a relation of any object contains.
    ///
    /// - Parameters:
    ///   - objects: The ids; their number bounds the work.
    ///   - name: Their class.
    /// - Returns: The members among them.
    /// - Throws: Errors of the store.
    func membersOfRelations(among objects: Set<ObjectID>, in name: ClassName) throws -> Set<ObjectID>

    /// The memberships in one relation of all objects of a class, in order.
    ///
    /// - Parameters:
    ///   - key: The relation.
    ///   - name: The class of the owners.
    ///   - last: The membership after which the result begins; `nil` for the first ones.
    ///   - limit: The maximum number of memberships.
    /// - Returns: The memberships, ordered by owner, then by member.
    /// - Throws: Errors of the store.
    func memberships(_ key: String, of name: ClassName, after last: Membership?, limit: Int) throws -> [Membership]
}

extension ReadTransaction {
    /// An object with parsed fields; `nil` if it does not exist.
    package func object(_ id: ObjectID, in name: ClassName) throws -> StoredObject? {
        try row(id, in: name)?.object()
    }

    /// The objects of a list with all of their fields.
    package func rows(
        _ ids: Set<ObjectID>,
        in name: ClassName,
        readableBy readers: Readers,
        upTo size: Int
    ) throws -> [ObjectRow] {
        try rows(ids, in: name, readableBy: readers, upTo: size, reading: nil)
    }

    /// All objects of a class, for stores that keep no checksums of rows.
    package func intactRows(in name: ClassName, onDamage: (String) -> Void) throws -> [ObjectRow] {
        try rows(ObjectQuery(name, page: .all))
    }

    /// Whether this transaction contains a change that can concern callers; see ``callerChanges``.
    package var concernsCallers: Bool { callerChanges > 0 }

    /// The number of objects of a class for which a condition holds.
    package func count(_ condition: Condition, in name: ClassName) throws -> Int {
        try count(ObjectQuery(name, where: condition))
    }

    /// The objects that a query finds, with parsed fields.
    package func find(_ query: ObjectQuery) throws -> [StoredObject] {
        try rows(query).map { try $0.object() }
    }
}

/// The writes inside a transaction; the value must not leave it.
package protocol WriteTransaction: ReadTransaction {
    /// The caller of the following changes, reported as ``Change/caller``; `nil`, the initial value, for the server
    /// itself.
    var caller: Caller? { get nonmutating set }

    /// Runs a body whose changes are undone if it throws, while the transaction keeps its other changes.
    ///
    /// The transaction continues afterwards, even after an error of one of its calls.
    func attempt<Result>(_ body: () throws -> Result) throws -> Result

    /// Creates a class or changes its schema; indexes are created and dropped to match.
    ///
    /// Throws ``ServiceError/Code/duplicateValue`` if a unique index finds equal values.
    func save(_ schema: ClassSchema) throws

    /// Adds an object to an existing class.
    ///
    /// Throws ``ServiceError/Code/duplicateValue`` naming the field of a unique index, or `objectId` if the id is
    /// taken.
    func insert(_ object: StoredObject, into name: ClassName) throws

    /// Replaces an object; does not create a missing one.
    ///
    /// - Parameters:
    ///   - object: The new state of the object.
    ///   - name: Its class.
    ///   - before: The object as this transaction read it, for ``Change/before``; with `nil` the store reads it if a
    ///     subscriber needs it.
    /// - Throws: ``ServiceError/Code/duplicateValue`` naming the field of a unique index.
    func update(_ object: StoredObject, in name: ClassName, from before: StoredObject?) throws

    /// Deletes objects and their memberships in relations, with a number of statements that does not grow with the
    /// objects.
    ///
    /// - Parameters:
    ///   - ids: The objects; their changes are published in this order. A repeated id counts once.
    ///   - name: Their class.
    /// - Returns: The ids of the objects that existed.
    /// - Throws: Errors of the store; a missing object is not an error.
    @discardableResult
    func delete(_ ids: [ObjectID], in name: ClassName) throws -> Set<ObjectID>

    /// Adds objects to a relation; existing members stay.
    ///
    /// Relations are not published separately: a change of a relation updates its owner in the same transaction.
    func relate(_ owner: Pointer, _ key: String, to members: [ObjectID]) throws

    /// Removes objects from a relation; `nil` removes all.
    func unrelate(_ owner: Pointer, _ key: String, from members: [ObjectID]?) throws

    /// The next number of an auto-increment field: 1, 2, 3, each used once. A run that is undone can use up numbers.
    func nextNumber(of field: String, in name: ClassName) throws -> Int64
}

extension WriteTransaction {
    /// Replaces an object whose previous state the caller does not have.
    package func update(_ object: StoredObject, in name: ClassName) throws {
        try update(object, in: name, from: nil)
    }

    /// Deletes an object and its memberships in relations; returns whether it existed.
    package func delete(_ id: ObjectID, in name: ClassName) throws -> Bool {
        try !delete([id], in: name).isEmpty
    }
}
