internal import Domain

/// One run of a body on a snapshot of a ``MemoryObjectStore``.
final class MemoryTransaction: WriteTransaction {
    private(set) var state: MemoryState
    private(set) var touched = MemoryState.Touched()
    private(set) var changes: TransactionChanges
    /// The number of calls.
    private(set) var calls = 0
    let budget: QueryBudget?
    private let maxCalls: Int
    private let textQueries: Counter
    /// The error that every further call throws.
    private var failure: (any Error)?

    /// - Parameters:
    ///   - state: The snapshot on which the body runs.
    ///   - budget: The time limit of the body.
    ///   - changes: Records the changes of the body.
    ///   - maxCalls: The number of calls after which all further ones throw.
    ///   - textQueries: Counts the queries for one field.
    init(
        _ state: MemoryState,
        within budget: QueryBudget? = nil,
        recording changes: TransactionChanges = TransactionChanges(),
        endingAfter maxCalls: Int = .max,
        countingTexts textQueries: Counter = Counter()
    ) {
        self.state = state
        self.budget = budget
        self.changes = changes
        self.maxCalls = maxCalls
        self.textQueries = textQueries
    }

    /// The error after which the transaction cannot continue, even if the body catches it.
    private struct Ended: Error {}

    /// The error for a body that continued after an error that it caught outside an attempt.
    private struct WentOn: Error {
        let cause: any Error
    }

    /// Runs a call; if it throws, the transaction ends.
    private func calling<Result>(_ call: () throws -> Result) throws -> Result {
        if let failure { throw failure }
        guard calls < maxCalls else {
            failure = Ended()
            throw Ended()
        }
        calls += 1
        do {
            return try call()
        } catch {
            failure = WentOn(cause: error)
            throw error
        }
    }

    var caller: Caller? {
        get { changes.caller }
        set { changes.caller = newValue }
    }

    var callerChanges: Int { changes.callerChanges }

    func schema(of name: ClassName) throws -> ClassSchema? {
        try calling { knownSchemas[name] }
    }

    func schemas() throws -> [ClassSchema] {
        try calling { knownSchemas.values.sorted { $0.name < $1.name } }
    }

    func row(_ id: ObjectID, in name: ClassName) throws -> ObjectRow? {
        try calling { objects(of: name).first { $0.id == id }.map(ObjectRow.init) }
    }

    func rows(
        _ ids: Set<ObjectID>,
        in name: ClassName,
        readableBy readers: Readers,
        upTo size: Int,
        reading projection: RowProjection?
    ) throws -> [ObjectRow] {
        try calling {
            let found = objects(of: name).filter { ids.contains($0.id) && readers.canRead($0.acl) }
            return fitting(found.map { ObjectRow($0).reading(projection) }, in: size)
        }
    }

    func rows(_ query: ObjectQuery) throws -> [ObjectRow] {
        try calling { try found(query) }
    }

    func texts(_ field: String, of query: ObjectQuery) throws -> [(id: ObjectID, text: String)] {
        _ = textQueries.next()
        return try calling {
            try found(query).compactMap { row in
                try row.object().fields[field]?.stringValue.map { (row.id, $0) }
            }
        }
    }

    func count(_ query: ObjectQuery) throws -> Int {
        try calling { try matching(query).count }
    }

    func explain(_ query: ObjectQuery, counting: Bool) throws -> QueryExplanation? {
        try calling {
            guard knownSchemas[query.className] != nil else { return nil }
            let what = counting ? "count" : "find"
            return QueryExplanation(statement: "\(what) \(query.condition)", plan: ["SCAN \(query.className)"])
        }
    }

    func isRelated(_ owner: Pointer, _ key: String, to members: ArraySlice<ObjectID>) throws -> Bool {
        try calling { holds(owner, key, members) }
    }

    func membersOfRelations(among objects: Set<ObjectID>, in name: ClassName) throws -> Set<ObjectID> {
        try calling {
            var found: Set<ObjectID> = []
            for owner in knownSchemas.values {
                let keys = owner.relations.filter { $0.target == name }.map(\.key)
                guard !keys.isEmpty else { continue }
                touched.read.insert(.relations(owner.name))
                let relations = state.relations[owner.name, default: []].filter { keys.contains($0.key) }
                found.formUnion(relations.map(\.member).filter(objects.contains))
            }
            return found
        }
    }

    func memberships(_ key: String, of name: ClassName, after last: Membership?, limit: Int) throws -> [Membership] {
        try calling {
            touched.read.insert(.relations(name))
            let all = state.relations[name, default: []].filter { $0.key == key }
                .map { Membership(owner: $0.owner, member: $0.member) }
            return Array(all.sorted().drop { membership in last.map { membership <= $0 } ?? false }.prefix(limit))
        }
    }

    func attempt<Result>(_ body: () throws -> Result) throws -> Result {
        if let failure { throw failure }
        let before = state
        let recorded = changes.mark
        do {
            return try body()
        } catch {
            state = before
            changes.undo(to: recorded)
            if failure is WentOn { failure = nil }
            throw error
        }
    }

    func save(_ schema: ClassSchema) throws {
        try calling {
            touched.changed.insert(.schemas)
            state.schemas[schema.name] = schema
            for object in objects(of: schema.name) { try requireUnique(object, in: schema.name) }
        }
    }

    func insert(_ object: StoredObject, into name: ClassName) throws {
        try calling {
            try requireClass(name)
            guard !objects(of: name).contains(where: { $0.id == object.id }) else { throw duplicate("objectId") }
            touched.changed.insert(.objects(name))
            state.objects[name, default: []].append(object)
            try requireUnique(object, in: name)
            changes.record(.created, object.id, in: name, after: ObjectState(object))
        }
    }

    func update(_ object: StoredObject, in name: ClassName, from before: StoredObject?) throws {
        try calling {
            try requireClass(name)
            guard let position = objects(of: name).firstIndex(where: { $0.id == object.id }) else { return }
            touched.changed.insert(.objects(name))
            let stored = objects(of: name)[position]
            state.objects[name]?[position] = object
            try requireUnique(object, in: name)
            changes.record(
                .updated,
                object.id,
                in: name,
                before: ObjectState(before ?? stored),
                after: ObjectState(object)
            )
        }
    }

    func delete(_ ids: [ObjectID], in name: ClassName) throws -> Set<ObjectID> {
        try calling {
            var found: Set<ObjectID> = []
            for id in ids {
                guard let position = objects(of: name).firstIndex(where: { $0.id == id }) else { continue }
                touched.changed.insert(.objects(name))
                let object = state.objects[name]?.remove(at: position)
                changes.record(.deleted, id, in: name, before: object.map { ObjectState($0) })
                found.insert(id)
                forgetRelations(of: id, in: name)
            }
            return found
        }
    }

    func relate(_ owner: Pointer, _ key: String, to members: [ObjectID]) throws {
        try calling {
            changeRelations(of: owner.className) { relations in
                relations.formUnion(members.map { MemoryState.Relation(owner: owner.id, key: key, member: $0) })
            }
        }
    }

    func unrelate(_ owner: Pointer, _ key: String, from members: [ObjectID]?) throws {
        try calling {
            changeRelations(of: owner.className) { relations in
                relations = relations.filter { relation in
                    !(relation.owner == owner.id && relation.key == key && members?.contains(relation.member) ?? true)
                }
            }
        }
    }

    func nextNumber(of field: String, in name: ClassName) throws -> Int64 {
        try calling {
            let counter = MemoryState.Part.counter(name, field)
            let highest = objects(of: name).compactMap { $0.fields[field]?.integerValue }.max() ?? 0
            let next = min(max(highest, state.counters[counter, default: 0]), .max - 1) + 1
            touched.changed.insert(counter)
            state.counters[counter] = next
            return next
        }
    }
}

/// The reads and changes of the calls, which record the touched parts.
extension MemoryTransaction {
    private var knownSchemas: [ClassName: ClassSchema] {
        touched.read.insert(.schemas)
        return state.schemas
    }

    func objects(of name: ClassName) -> [StoredObject] {
        touched.read.insert(.objects(name))
        return state.objects[name, default: []]
    }

    func holds(_ owner: Pointer, _ key: String, _ members: ArraySlice<ObjectID>) -> Bool {
        touched.read.insert(.relations(owner.className))
        let relations = state.relations[owner.className, default: []]
        return members.contains { relations.contains(MemoryState.Relation(owner: owner.id, key: key, member: $0)) }
    }

    private func changeRelations(of name: ClassName, _ change: (inout Set<MemoryState.Relation>) -> Void) {
        touched.changed.insert(.relations(name))
        change(&state.relations[name, default: []])
    }

    /// Removes the relations of the object, and its memberships in other objects' relations.
    private func forgetRelations(of id: ObjectID, in name: ClassName) {
        for owner in knownSchemas.values {
            let keys = owner.relations.filter { $0.target == name }.map(\.key)
            guard owner.name == name || !keys.isEmpty else { continue }
            changeRelations(of: owner.name) { relations in
                relations = relations.filter { relation in
                    !(owner.name == name && relation.owner == id)
                        && !(relation.member == id && keys.contains(relation.key))
                }
            }
        }
    }

    private func requireClass(_ name: ClassName) throws {
        guard knownSchemas[name] != nil else { throw MissingClass(name: name) }
    }

    private func requireUnique(_ object: StoredObject, in name: ClassName) throws {
        for index in knownSchemas[name]?.indexes ?? [] where index.isUnique {
            let path = index.fields[0]
            guard let own = value(of: object, at: path), own != .null else { continue }
            let isTaken = objects(of: name).contains { other in
                // Most objects differ in the value.
                value(of: other, at: path) == own && other.id != object.id
            }
            guard !isTaken else { throw duplicate(index.name) }
        }
    }

    private func duplicate(_ field: String) -> ServiceError {
        ServiceError(
            .duplicateValue,
            "A unique field was given a value that is already taken. The field is '\(field)'."
        )
    }
}

private struct MissingClass: Error { let name: ClassName }
