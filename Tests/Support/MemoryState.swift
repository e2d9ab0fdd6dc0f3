internal import Domain

/// The contents of a ``MemoryObjectStore``.
struct MemoryState: Sendable {
    /// A unit of conflict detection.
    ///
    /// Of two concurrent transactions, the one that commits later runs again if it has read or changed a part that the
    /// other one changed.
    enum Part: Hashable, Sendable {
        case schemas
        case objects(ClassName)
        /// The relations of a class's objects.
        case relations(ClassName)
        /// The numbers of a field.
        case counter(ClassName, String)
    }

    struct Relation: Hashable, Sendable {
        let owner: ObjectID
        let key: String
        let member: ObjectID
    }

    /// The parts that a transaction has read and changed.
    struct Touched: Sendable {
        var read: Set<Part> = []
        var changed: Set<Part> = []
    }

    var schemas = Dictionary(uniqueKeysWithValues: ClassSchema.builtIn.map { ($0.name, $0) })
    /// The objects in the order of their creation.
    var objects: [ClassName: [StoredObject]] = [:]
    /// The relations by the class of their owners.
    var relations: [ClassName: Set<Relation>] = [:]
    var counters: [Part: Int64] = [:]
    /// The number of changes of each part.
    private var versions: [Part: Int] = [:]

    /// Applies the changes of a transaction that began on an earlier state; returns `false` if that would not be
    /// serialisable.
    mutating func commit(_ touched: Touched, of other: MemoryState) -> Bool {
        let parts = touched.read.union(touched.changed)
        guard parts.allSatisfy({ versions[$0] == other.versions[$0] }) else { return false }
        for part in touched.changed {
            versions[part, default: 0] += 1
            switch part {
            case .schemas: schemas = other.schemas
            case .objects(let name): objects[name] = other.objects[name]
            case .relations(let name): relations[name] = other.relations[name]
            case .counter: counters[part] = other.counters[part]
            }
        }
        return true
    }
}
