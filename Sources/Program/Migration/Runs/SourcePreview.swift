/// What a migration would do.
package struct SourcePreview: Sendable, Hashable {
    /// Items that would be sent.
    package var toDo = ItemTotals()
    /// Items that are on the server.
    package var done = ItemTotals()
    /// Items that failed before and would not be tried again.
    package var failed = ItemTotals()
    /// Items that have changed since they were sent.
    package var changed = ItemTotals()
    /// The number of items that cannot be used.
    package var unusable = 0
    /// The first of them, with their reasons.
    package var examples: [String] = []

    /// All items that can be used.
    package var all: ItemTotals { toDo + done + failed + changed }

    /// Reads a source to its end and changes nothing.
    ///
    /// - Parameters:
    ///   - journal: What is done already; `nil` for a migration that has not begun.
    ///   - kind: The kind of the items.
    ///   - rules: Which items would be sent again.
    ///   - open: Opens the source.
    /// - Throws: The errors of the source and the journal.
    package init<Source: ItemSource>(
        _ journal: Journal?,
        _ kind: String,
        repeating rules: RepeatRules = RepeatRules(),
        from open: @escaping @Sendable () throws -> Source
    ) async throws {
        let reader = SourceReader(open)
        while true {
            let elements = try await reader.page(500)
            try Task.checkCancellation()
            guard !elements.isEmpty else { return }
            let items = elements.compactMap { element -> Source.Item? in
                if case .item(let item) = element { item } else { nil }
            }
            let states = try await journal?.states(of: items, of: kind, repeating: rules)
            for (position, item) in items.enumerated() {
                let totals = ItemTotals(count: 1, bytes: item.size ?? 0)
                switch states?[position] {
                case nil, .waiting: toDo += totals
                case .done: done += totals
                case .failed: failed += totals
                case .changed: changed += totals
                }
            }
            for element in elements {
                guard case .unusable(let name, let reason) = element else { continue }
                unusable += 1
                if examples.count < 20 { examples.append("\(name): \(reason)") }
            }
        }
    }
}
