/// All values at a path: several if the path passes through arrays.
///
/// In an array, a name that is an index leads to that element and, as every name, into all elements that are objects.
/// A path of many indexes can reach one value in many ways, so every value is visited once, with all the places of the
/// path at which it is reached: the time is that of reading the field, and no value is found twice.
struct PathValues {
    /// The values at the end of the path; arrays as a whole.
    private(set) var values: [JSONValue] = []
    /// Whether the path has no value in the object or in an array element on the path.
    private(set) var isMissing = false

    private let names: [String]
    /// The names as indexes of arrays; `nil` for the others.
    private let indexes: [Int?]
    private let budget: QueryBudget?
    /// The number of values that were visited.
    private(set) var visits = 0

    /// Finds the values.
    ///
    /// - Parameters:
    ///   - value: The value of the field; `nil` if there is none.
    ///   - path: The names after the field, fewer than ``FieldPath/maxDepth``.
    ///   - budget: The time limit; `nil` without one.
    /// - Throws: Errors of the budget.
    init(of value: JSONValue?, along path: ArraySlice<String>, within budget: QueryBudget? = nil) throws {
        names = Array(path)
        indexes = path.map { name in Int(name).flatMap { String($0) == name ? $0 : nil } }
        self.budget = budget
        if let value { try collect(value, at: Places(first: 0)) }
        if values.isEmpty { isMissing = true }
    }

    /// Whether a test holds for one of the values or, for an array, for one of its elements.
    func contain(within budget: QueryBudget?, _ test: (JSONValue) throws -> Bool) throws -> Bool {
        for value in values {
            if try test(value) { return true }
            guard case .array(let elements) = value else { continue }
            for (index, element) in elements.enumerated() {
                if index % 256 == 255 { try budget?.check() }
                if try test(element) { return true }
            }
        }
        return false
    }

    /// Places of the path: the numbers of the names that are looked up next.
    private struct Places {
        /// A bit for each place; a path has less than 64 names.
        private(set) var bits: UInt64

        init(first place: Int) { bits = 1 << UInt64(place) }

        var isEmpty: Bool { bits == 0 }

        mutating func formUnion(_ other: Places) { bits |= other.bits }

        /// The places, the last first: it has the fewest names before its values.
        var descending: some Sequence<Int> {
            sequence(state: bits) { rest in
                guard rest != 0 else { return nil }
                let place = 63 - rest.leadingZeroBitCount
                rest &= ~(1 << UInt64(place))
                return place
            }
        }

        /// Removes a place; returns whether it was there.
        mutating func remove(_ place: Int) -> Bool {
            let bit: UInt64 = 1 << UInt64(place)
            defer { bits &= ~bit }
            return bits & bit != 0
        }
    }

    private mutating func collect(_ value: JSONValue, at reached: Places) throws {
        visits += 1
        if visits % 256 == 0 { try budget?.check() }
        var places = reached
        if places.remove(names.count) { values.append(value) }
        guard !places.isEmpty else { return }
        switch value {
        case .object(let members):
            var next: [(name: String, places: Places)] = []
            for place in places.descending {
                let name = names[place]
                if let known = next.firstIndex(where: { $0.name == name }) {
                    next[known].places.formUnion(Places(first: place + 1))
                } else {
                    next.append((name, Places(first: place + 1)))
                }
            }
            for (name, places) in next {
                if let member = members[name] { try collect(member, at: places) } else { isMissing = true }
            }
        case .array(let elements):
            try collect(elements, at: places)
        default:
            break
        }
    }

    private mutating func collect(_ elements: [JSONValue], at places: Places) throws {
        var named: [(index: Int, places: Places)] = []
        for place in places.descending {
            guard let index = indexes[place], elements.indices.contains(index) else { continue }
            if let known = named.firstIndex(where: { $0.index == index }) {
                named[known].places.formUnion(Places(first: place + 1))
            } else {
                named.append((index, Places(first: place + 1)))
            }
        }
        for (index, own) in named {
            var all = own
            if case .object = elements[index] { all.formUnion(places) }
            try collect(elements[index], at: all)
        }
        for (index, element) in elements.enumerated() {
            if case .object = element, !named.contains(where: { $0.index == index }) {
                try collect(element, at: places)
            }
        }
    }
}
