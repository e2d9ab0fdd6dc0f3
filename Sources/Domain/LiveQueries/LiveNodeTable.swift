/// The nodes of one class with which its changes are compared, found by the values of a changed object.
///
/// A change costs one look-up for each path of all clients. So clients at one address add few paths; their further
/// nodes are tested for every change, where they pay for the time (``LiveAllowances``).
struct LiveNodeTable: Sendable {
    private typealias Nodes = [ObjectIdentifier: LiveNode]

    /// The nodes with a term for one path, by value.
    private struct Path {
        /// The client address whose node added the path; `nil` for one without a limit.
        let address: String?
        var values: [ValueSet.Member: Nodes] = [:]
    }

    private var paths: [FieldPath: Path] = [:]
    private var pathsOfAddress: [String: Int] = [:]
    /// The nodes that are tested for every change.
    private var rest: Nodes = [:]

    /// The maximum number of values that are visited for one change, over all paths.
    ///
    /// Clients choose paths and objects, and along each path the whole field can be read. Beyond it the nodes of the
    /// remaining paths are tested instead, where the time of each is limited.
    private static let maxVisits = 100_000
    /// The maximum number of paths that the nodes of clients at one address add.
    static let maxPaths = 16

    /// The nodes that can match one of the states of an object.
    func candidates(_ states: [StoredObject]) throws -> [LiveNode] {
        var found = rest
        var visits = 0
        for (path, entry) in paths {
            let nodes = entry.values
            guard visits < LiveNodeTable.maxVisits else {
                for nodes in nodes.values { found.merge(nodes) { node, _ in node } }
                continue
            }
            for state in states {
                let reached = try PathValues(of: state.value(of: path.field), along: path.inner)
                visits += reached.visits
                for value in reached.values {
                    if let nodes = nodes[ValueSet.Member(value: value)] { found.merge(nodes) { node, _ in node } }
                    guard case .array(let elements) = value else { continue }
                    for element in elements {
                        if let nodes = nodes[ValueSet.Member(value: element)] { found.merge(nodes) { node, _ in node } }
                    }
                }
            }
        }
        return Array(found.values)
    }

    /// Adds a node.
    mutating func insert(_ node: LiveNode) {
        let (id, address) = (ObjectIdentifier(node), node.owner.address)
        guard let terms = node.terms?.terms, hasCapacity(for: terms, of: address) else {
            rest[id] = node
            return
        }
        for term in terms {
            if paths[term.path] == nil {
                paths[term.path] = Path(address: address)
                if let address { pathsOfAddress[address, default: 0] += 1 }
            }
            for value in term.values {
                paths[term.path]?.values[ValueSet.Member(value: value), default: [:]][id] = node
            }
        }
    }

    /// Removes a node.
    mutating func remove(_ node: LiveNode) {
        let id = ObjectIdentifier(node)
        guard rest.removeValue(forKey: id) == nil else { return }
        for term in node.terms?.terms ?? [] {
            for value in term.values {
                let member = ValueSet.Member(value: value)
                paths[term.path]?.values[member]?[id] = nil
                if paths[term.path]?.values[member]?.isEmpty == true { paths[term.path]?.values[member] = nil }
            }
            if paths[term.path]?.values.isEmpty == true { remove(term.path) }
        }
    }

    private mutating func remove(_ path: FieldPath) {
        let removed = paths.removeValue(forKey: path)
        guard let address = removed?.address, let count = pathsOfAddress[address] else { return }
        pathsOfAddress[address] = count > 1 ? count - 1 : nil
    }

    /// Whether the nodes of an address can have the paths of terms.
    private func hasCapacity(for terms: [LiveTerms.Term], of address: String?) -> Bool {
        guard let address else { return true }
        let added = Set(terms.map(\.path)).filter { paths[$0] == nil }
        return added.isEmpty || pathsOfAddress[address, default: 0] + added.count <= LiveNodeTable.maxPaths
    }
}
