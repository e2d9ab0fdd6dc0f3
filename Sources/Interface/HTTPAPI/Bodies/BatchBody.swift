internal import Domain

/// The requests of a batch as ranges of its bytes.
///
/// The whole text is checked first. An item is parsed into values when its group is processed, and dropped after its
/// response, so that a batch takes the memory of its text and of a few items.
struct BatchBody: Sendable {
    /// Consecutive items that are processed together: few enough that their values are small beside a large text.
    struct Group: Sendable {
        /// From the first item to the end of the last one.
        fileprivate var range: Range<Int>
        fileprivate var count: Int
    }

    /// The number of items.
    private(set) var count = 0
    /// All items, in order.
    private(set) var groups: [Group] = []
    /// The ranges of items whose path can name users.
    private(set) var itemsOfUsers: [Range<Int>] = []
    private let body: JSONBody

    private static let maxGroupCount = 100
    private static let largestGroup = 256 << 10
    /// The size in bytes of an ordinary response to an item.
    private static let answerSize = 160

    /// Finds the items of a body.
    ///
    /// - Parameters:
    ///   - body: The whole body.
    ///   - limit: The maximum number of items.
    /// - Throws: ``ServiceError/Code/malformedJSON``; ``ServiceError/Code/payloadTooLarge`` for more items than the
    ///   limit; ``ServiceError/Code/overloaded`` if no memory is left for the responses.
    init(_ body: JSONBody, limit: Int) throws {
        self.body = body
        let found = try body.withText { text in try BatchBody.items(in: text, limit: limit) }
        (count, groups, itemsOfUsers) = (found.count, found.groups, found.itemsOfUsers)
        try body.share.grow(by: count * BatchBody.answerSize)
    }

    /// Parses the items of a group, each with its own error, and processes them.
    ///
    /// - Parameters:
    ///   - group: One of ``groups``.
    ///   - work: Processes the items; their memory counts until it returns.
    /// - Returns: The result of the work.
    /// - Throws: The errors of the work.
    func withItems<Value>(
        of group: Group,
        _ work: ([Result<JSONValue, any Error>]) async throws -> Value
    ) async throws -> Value {
        var memory = 0
        defer { body.share.shrink(by: memory) }
        let items = try body.withText { text in
            try ranges(of: group, in: text).map { range in
                Result {
                    let item = try parse(range, text)
                    memory += item.memory
                    return item.value
                }
            }
        }
        return try await work(items)
    }

    /// Parses one item for a single check.
    func item(at range: Range<Int>) throws -> JSONValue {
        try body.withText { text in
            let item = try parse(range, text)
            body.share.shrink(by: item.memory)
            return item.value
        }
    }

    /// Parses all items; their memory counts until the response is sent.
    ///
    /// - Throws: The error of the first malformed item.
    func allItems() throws -> [JSONValue] {
        try body.withText { text in
            try groups.flatMap { group in
                try ranges(of: group, in: text).map { try parse($0, text).value }
            }
        }
    }

    private func parse(
        _ range: Range<Int>,
        _ text: UnsafeBufferPointer<UInt8>
    ) throws -> (value: JSONValue, memory: Int) {
        // An item is nested in an array in an object.
        try body.parse(text, in: range, depth: JSONValue.maxDepth - 2)
    }

    private func ranges(of group: Group, in text: UnsafeBufferPointer<UInt8>) throws -> [Range<Int>] {
        let part = UnsafeBufferPointer(rebasing: text[group.range])
        var scanner = JSONScanner(part, field: "The body")
        return try (0..<group.count).map { _ in
            let range = try scanner.skipListed()
            return range.lowerBound + group.range.lowerBound..<range.upperBound + group.range.lowerBound
        }
    }
}

// MARK: - Finding items

extension BatchBody {
    private struct Found {
        var count = 0
        var groups: [Group] = []
        var itemsOfUsers: [Range<Int>] = []

        mutating func add(_ range: Range<Int>, couldBeOfUsers: Bool) {
            count += 1
            if couldBeOfUsers { itemsOfUsers.append(range) }
            if let last = groups.last, last.count < maxGroupCount,
                range.upperBound - last.range.lowerBound <= largestGroup
            {
                groups[groups.count - 1] = Group(
                    range: last.range.lowerBound..<range.upperBound,
                    count: last.count + 1
                )
            } else {
                groups.append(Group(range: range, count: 1))
            }
        }
    }

    private static func items(in text: UnsafeBufferPointer<UInt8>, limit: Int) throws -> Found {
        var scanner = JSONScanner(text, field: "The body")
        guard scanner.enter("{") else { throw noBatch }
        var found: Found?
        while let name = try scanner.nextName() {
            guard name.text == "requests" else {
                try scanner.skipValue()
                continue
            }
            guard found == nil, scanner.enter("[") else { throw noBatch }
            found = try elements(&scanner, text, limit: limit)
        }
        try scanner.requireEnd()
        guard let found else { throw noBatch }
        return found
    }

    private static func elements(
        _ scanner: inout JSONScanner,
        _ text: UnsafeBufferPointer<UInt8>,
        limit: Int
    ) throws -> Found {
        var found = Found()
        while try scanner.hasNextElement() {
            guard found.count < limit else {
                throw ServiceError(
                    .payloadTooLarge,
                    "The batch has more than \(limit) requests, the limit (http.maxBatchSize)."
                )
            }
            let start = scanner.skipBlanks()
            var couldBeOfUsers = false
            if scanner.enter("{") {
                while let name = try scanner.nextName() {
                    let value = try scanner.skipValue()
                    if name.text == "path" { couldBeOfUsers = couldNameUsers(text[value]) }
                }
                found.add(start..<scanner.offset, couldBeOfUsers: couldBeOfUsers)
            } else {
                found.add(try scanner.skipValue(), couldBeOfUsers: false)
            }
        }
        return found
    }

    /// Whether a path can be `users`, `classes/_User` or `cloudQuery`; an escaped path can be any.
    private static func couldNameUsers(_ path: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        path.indices.contains { index in
            switch path[index] {
            case UInt8(ascii: "\\"), UInt8(ascii: "%"): true
            case UInt8(ascii: "u"), UInt8(ascii: "U"): path[(index + 1)...].starts(with: "ser".utf8)
            case UInt8(ascii: "c"): path[(index + 1)...].starts(with: "loudQuery".utf8)
            default: false
            }
        }
    }

    private static let noBatch = ServiceError(.malformedJSON, "The body must be {\"requests\":[…]}.")
}
