internal import Crypto

/// Decides the conditions of changes inside a transaction, where every other change waits.
///
/// A condition that is small is decided on the spot, within two milliseconds for the whole transaction. Any other is
/// decided before the transaction, where only the request itself waits; inside, it is enough that the object is still
/// the one that was looked at (docs/queries.md, "Conditions of changes").
struct ConditionCheck: Sendable {
    /// What a condition was found to be for one version of an object.
    struct Evaluation: Sendable {
        let condition: Condition
        let version: RowVersion
        let holds: Bool
    }

    /// By object; one for each of its conditions.
    private let evaluations: [Pointer: [Evaluation]]
    private let budget = QueryBudget(milliseconds: 2, refusal: CostlyCondition())

    /// Takes what was decided before the transaction.
    init(knowing evaluations: [Pointer: [Evaluation]] = [:]) {
        self.evaluations = evaluations
    }

    /// Whether a condition holds for an object.
    ///
    /// - Throws: ``CostlyCondition`` if that must be decided before the transaction.
    func holds(
        _ condition: Condition,
        for row: ObjectRow,
        in schema: ClassSchema,
        _ rules: ObjectWriteRules
    ) throws -> Bool {
        let known = evaluations[Pointer(schema.name, row.id)]?.first { $0.condition == condition }
        if let known, known.version == RowVersion(row) { return known.holds }
        guard condition.weight <= ConditionCheck.maxWeight else { throw CostlyCondition() }
        return try budget.counting {
            try condition.holds(for: row, in: schema, reader: rules.writer, access: rules.access, within: budget)
        }
    }

    /// Tests and values of a condition that may be decided in the transaction.
    private static let maxWeight = 200
}

/// Objects that change only if a condition holds for each.
struct GuardedChange: Sendable {
    let className: ClassName
    let ids: [ObjectID]
    let condition: Condition
}

extension ObjectReadRules {
    /// Decides conditions before the transaction that depends on them.
    func evaluations(on changes: [GuardedChange]) throws -> [Pointer: [ConditionCheck.Evaluation]] {
        var evaluations: [Pointer: [ConditionCheck.Evaluation]] = [:]
        for change in changes {
            guard let schema = try reader.schema(of: change.className) else { continue }
            for id in change.ids {
                // What the transaction refuses anyway is not decided here.
                guard let row = try reader.row(id, in: change.className), access.canRead(row, in: schema) else {
                    continue
                }
                let holds = try change.condition.holds(
                    for: row,
                    in: schema,
                    reader: reader,
                    access: access,
                    within: reader.budget
                )
                evaluations[Pointer(change.className, id), default: []].append(
                    ConditionCheck.Evaluation(condition: change.condition, version: RowVersion(row), holds: holds)
                )
            }
        }
        return evaluations
    }
}

/// A condition must be decided before the transaction that depends on it; the change runs again then.
struct CostlyCondition: Error {}

/// What tells two versions of an object apart.
struct RowVersion: Sendable, Hashable {
    private let updatedAt: Timestamp
    private let digest: [UInt8]

    init(_ row: ObjectRow) {
        updatedAt = row.updatedAt
        var hash = SHA256()
        hash.update(data: row.body)
        if let acl = row.acl {
            // A zero byte stands in no JSON text.
            hash.update(data: [0])
            hash.update(data: acl)
        }
        digest = Array(hash.finalize())
    }
}

extension Condition {
    /// Whether it holds for one object; relations are looked up, everything else is decided in memory.
    func holds(
        for row: ObjectRow,
        in schema: ClassSchema,
        reader: any ReadTransaction,
        access: ObjectAccess,
        within budget: QueryBudget?
    ) throws -> Bool {
        let resolver = ConditionResolver(reader: reader, access: access, budget: budget)
        return try resolver.resolve(self, in: schema).matches(try row.object(), within: budget) { owner, key, members in
            let owner = owner ?? Pointer(schema.name, row.id)
            var rest = (members ?? [row.id])[...]
            while !rest.isEmpty {
                try budget?.check()
                if try reader.isRelated(owner, key, to: rest.prefix(Condition.membersAtOnce)) { return true }
                rest = rest.dropFirst(Condition.membersAtOnce)
            }
            return false
        }
    }

    /// So many are looked up between two looks at the clock.
    private static let membersAtOnce = 256

    /// How many tests and values stand in it: what deciding it costs, but for the size of the object.
    fileprivate var weight: Int {
        switch self {
        case .all(let conditions), .any(let conditions): conditions.reduce(1) { $0 + $1.weight }
        case .not(let condition): condition.weight
        case .field(_, let test): test.weight
        case .member: 1
        case .relates(_, let members): 1 + members.count
        }
    }
}

extension Condition.Test {
    fileprivate var weight: Int {
        switch self {
        case .isIn(let list), .containsAll(let list): 1 + list.values.count
        case .not(let test): test.weight
        default: 1
        }
    }
}
