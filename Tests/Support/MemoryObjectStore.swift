package import Domain
internal import Synchronization

/// Objects in memory, by the rules of Domain's own matching; for tests of what stands on an ``ObjectStore``.
package final class MemoryObjectStore: ObjectStore {
    package let changes = ChangeFeed()
    private let state = Mutex(MemoryState())
    /// Held from the start of a write until its changes are published.
    private let turn = Mutex(())
    private let failure: (any Error)?
    private let reads = Counter()

    /// - Parameter failure: What every write throws, to test what happens then.
    package init(failingWritesWith failure: (any Error)? = nil) {
        self.failure = failure
    }

    /// How many reads there were.
    package var readCount: Int { reads.value }

    /// How many objects a class has.
    package func count(of name: ClassName) -> Int {
        state.withLock { $0.objects[name, default: []].count }
    }

    package func read<Result: Sendable>(
        within budget: QueryBudget?,
        _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        _ = reads.next()
        let transaction = MemoryTransaction(state.withLock { $0 }, within: budget)
        guard let budget else { return try body(transaction) }
        return try budget.counting { try body(transaction) }
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        if let failure { throw failure }
        return try turn.withLock { _ in
            let transaction = MemoryTransaction(state.withLock { $0 }, recording: changes.transaction())
            let result = try body(transaction)
            state.withLock { $0 = transaction.state }
            changes.publish(transaction.changes)
            return result
        }
    }
}

private struct MemoryState: Sendable {
    var schemas = Dictionary(uniqueKeysWithValues: ClassSchema.builtIn.map { ($0.name, $0) })
    /// In the order they were made.
    var objects: [ClassName: [StoredObject]] = [:]
    var relations: Set<Relation> = []
    var counters: [String: Int64] = [:]
}

private struct Relation: Hashable, Sendable {
    let owner: Pointer
    let key: String
    let member: ObjectID
}

private final class MemoryTransaction: WriteTransaction {
    var state: MemoryState
    let budget: QueryBudget?
    var changes: TransactionChanges

    init(
        _ state: MemoryState,
        within budget: QueryBudget? = nil,
        recording changes: TransactionChanges = TransactionChanges()
    ) {
        self.state = state
        self.budget = budget
        self.changes = changes
    }

    var caller: Caller? {
        get { changes.caller }
        set { changes.caller = newValue }
    }

    func schema(of name: ClassName) -> ClassSchema? { state.schemas[name] }

    func schemas() -> [ClassSchema] { state.schemas.values.sorted { $0.name < $1.name } }

    func row(_ id: ObjectID, in name: ClassName) -> ObjectRow? {
        state.objects[name, default: []].first { $0.id == id }.map(ObjectRow.init)
    }

    func rows(_ ids: Set<ObjectID>, in name: ClassName, readableBy readers: Readers, upTo size: Int) -> [ObjectRow] {
        let found = state.objects[name, default: []].filter { ids.contains($0.id) && readers.canRead($0.acl) }
        return fitting(found.map(ObjectRow.init), in: size)
    }

    func rows(_ query: ObjectQuery) throws -> [ObjectRow] {
        var found = try matching(query)
        if query.order.isEmpty, let (path, circle) = query.condition.circle {
            let distances = found.map { object in
                GeoPoint(stored: value(of: object, at: path) ?? .null)?.distance(to: circle.center) ?? .infinity
            }
            found = zip(found, distances).enumerated()
                .sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }.map(\.element.0)
        } else if let last = query.order.last {
            if last.isDescending { found.reverse() }
            found = found.enumerated().sorted { left, right in
                for key in query.order {
                    let order = JSONValue.order(
                        value(of: left.element, at: key.path),
                        value(of: right.element, at: key.path)
                    )
                    if order != 0 { return (order < 0) != key.isDescending }
                }
                return left.offset < right.offset
            }.map(\.element)
        }
        let page = found.dropFirst(query.page.skip).prefix(query.page.limit)
        let rows = page.map(ObjectRow.init)
        let fitting = fitting(rows, in: query.replySize)
        return fitting.isEmpty ? Array(rows.prefix(1)) : fitting
    }

    func texts(_ field: String, of query: ObjectQuery) throws -> [(id: ObjectID, text: String)] {
        try rows(query).compactMap { row in
            try row.object().fields[field]?.stringValue.map { (row.id, $0) }
        }
    }

    func count(_ query: ObjectQuery) throws -> Int {
        try matching(query).count
    }

    func isRelated(_ owner: Pointer, _ key: String, to members: ArraySlice<ObjectID>) -> Bool {
        members.contains { state.relations.contains(Relation(owner: owner, key: key, member: $0)) }
    }

    func attempt<Result>(_ body: () throws -> Result) throws -> Result {
        let before = state
        let recorded = changes.count
        do {
            return try body()
        } catch {
            state = before
            changes.undo(to: recorded)
            throw error
        }
    }

    func save(_ schema: ClassSchema) throws {
        let before = state.schemas.updateValue(schema, forKey: schema.name)
        do {
            try requireUnique(schema.name)
        } catch {
            state.schemas[schema.name] = before
            throw error
        }
    }

    func insert(_ object: StoredObject, into name: ClassName) throws {
        guard row(object.id, in: name) == nil else {
            throw ServiceError(.duplicateValue, "A unique field was given a value that is already taken.")
        }
        state.objects[name, default: []].append(object)
        try requireUnique(name)
        changes.record(.created, object.id, in: name, after: ObjectState(object))
    }

    func update(_ object: StoredObject, in name: ClassName, from before: StoredObject?) throws {
        let stored = state.objects[name, default: []].first { $0.id == object.id }
        state.objects[name] = state.objects[name, default: []].map { $0.id == object.id ? object : $0 }
        try requireUnique(name)
        guard let stored else { return }
        changes.record(.updated, object.id, in: name, before: ObjectState(stored), after: ObjectState(object))
    }

    func delete(_ id: ObjectID, in name: ClassName) -> Bool {
        let before = state.objects[name, default: []]
        guard let object = before.first(where: { $0.id == id }) else { return false }
        state.objects[name] = before.filter { $0.id != id }
        state.relations = state.relations.filter { relation in
            let target = state.schemas[relation.owner.className]?.fields[relation.key]?.type.target
            return relation.owner != Pointer(name, id) && !(relation.member == id && target == name)
        }
        changes.record(.deleted, id, in: name, before: ObjectState(object))
        return true
    }

    func relate(_ owner: Pointer, _ key: String, to members: [ObjectID]) {
        state.relations.formUnion(members.map { Relation(owner: owner, key: key, member: $0) })
    }

    func unrelate(_ owner: Pointer, _ key: String, from members: [ObjectID]?) {
        state.relations = state.relations.filter { relation in
            !(relation.owner == owner && relation.key == key && members?.contains(relation.member) ?? true)
        }
    }

    func nextNumber(of field: String, in name: ClassName) -> Int64 {
        let highest = state.objects[name, default: []].compactMap { $0.fields[field]?.integerValue }.max() ?? 0
        let next = max(highest, state.counters["\(name).\(field)", default: 0]) + 1
        state.counters["\(name).\(field)"] = next
        return next
    }

    private func matching(_ query: ObjectQuery) throws -> [StoredObject] {
        let name = query.className
        return try state.objects[name, default: []].filter { object in
            try query.readers.canRead(object.acl)
                && query.condition.matches(object, within: budget) { owner, key, members in
                    isRelated(owner ?? Pointer(name, object.id), key, to: (members ?? [object.id])[...])
                }
        }
    }

    private func value(of object: StoredObject, at path: FieldPath) -> JSONValue? {
        path.inner.reduce(object.value(of: path.field)) { value, name in value?.objectValue?[name] }
    }

    private func fitting(_ rows: [ObjectRow], in size: Int) -> [ObjectRow] {
        var remaining = size
        return Array(
            rows.prefix { row in
                remaining -= row.size
                return remaining >= 0
            }
        )
    }

    private func requireUnique(_ name: ClassName) throws {
        for index in state.schemas[name]?.indexes ?? [] where index.isUnique {
            let values = state.objects[name, default: []].compactMap { value(of: $0, at: index.fields[0]) }
                .filter { $0 != .null }
            guard Set(values).count == values.count else {
                throw ServiceError(.duplicateValue, "A unique field was given a value that is already taken.")
            }
        }
    }
}
