internal import Crypto

/// Evaluates the conditions of changes inside a transaction, which blocks all other changes.
///
/// Small conditions are evaluated in the transaction, within two milliseconds for the whole transaction. All others are
/// evaluated before the transaction, where only the request itself waits; the transaction then only checks that the
/// object is still in the same version (docs/queries.md, "Conditions of changes").
struct ConditionCheck: Sendable {
    /// The result of a condition for one version of an object.
    struct Evaluation: Sendable {
        let condition: Condition
        let version: RowVersion
        let holds: Bool
    }

    /// The results by object; one for each of its conditions.
    private let evaluations: [Pointer: [Evaluation]]
    private let budget = QueryBudget(milliseconds: 2, refusal: CostlyCondition())

    /// Creates a check with the results from before the transaction.
    init(knowing evaluations: [Pointer: [Evaluation]] = [:]) {
        self.evaluations = evaluations
    }

    /// Whether a condition holds for an object.
    ///
    /// - Throws: ``CostlyCondition`` if the condition must be evaluated before the transaction.
    func holds(
        _ condition: Condition,
        for row: ObjectRow,
        in schema: ClassSchema,
        _ rules: ObjectWriteRules
    ) throws -> Bool {
        let known = evaluations[Pointer(schema.name, row.id)]?.first { $0.condition == condition }
        if let known, known.version == RowVersion(row) { return known.holds }
        guard condition.weight <= ConditionCheck.maxWeight, row.size <= ConditionCheck.maxSize else {
            throw CostlyCondition(isLarge: true)
        }
        return try budget.counting {
            try condition.holds(for: row, in: schema, reader: rules.writer, access: rules.access, within: budget)
        }
    }

    /// The maximum number of tests and values of a condition that is evaluated in the transaction.
    private static let maxWeight = 200
    /// The maximum size in bytes of such a condition's object, which is parsed: an imported object can have 16 MB.
    private static let maxSize = 512 << 10
}

/// Objects with a change that applies to each for which the condition holds.
struct GuardedChange: Sendable {
    let className: ClassName
    let ids: [ObjectID]
    let condition: Condition
}

extension ObjectReadRules {
    /// Evaluates conditions before the transaction that depends on them.
    func evaluations(on changes: [GuardedChange]) throws -> [Pointer: [ConditionCheck.Evaluation]] {
        var evaluations: [Pointer: [ConditionCheck.Evaluation]] = [:]
        for change in changes {
            guard let schema = try reader.schema(of: change.className) else { continue }
            for id in change.ids {
                // Objects that the transaction rejects in any case are skipped.
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

/// The error for a condition that must be evaluated before its transaction; the change then runs again.
struct CostlyCondition: Error {
    /// Whether it has too many values, or its object is too large, to be evaluated inside any transaction.
    var isLarge = false
    /// The error to answer if the same transaction has changed the object, so that no evaluation before it is true.
    var refusal: ServiceError?
}

/// A digest that differs between two versions of an object.
struct RowVersion: Sendable, Hashable {
    private let updatedAt: Timestamp
    private let digest: [UInt8]

    init(_ row: ObjectRow) {
        updatedAt = row.updatedAt
        var hash = SHA256()
        hash.update(data: row.body)
        if let acl = row.acl {
            // A separator: JSON text never contains a zero byte.
            hash.update(data: [0])
            hash.update(data: acl)
        }
        digest = Array(hash.finalize())
    }
}

extension Condition {
    /// Whether the condition holds for one object; relations are looked up, all other tests run in memory.
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

    /// The number of members that are looked up between two checks of the time limit.
    private static let membersAtOnce = 256

    /// The number of tests and values in the condition: the cost of evaluating it, apart from the object's size.
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
