extension Export {
    /// The numbers of objects and of bytes to be sent, those of files included; reads the whole export.
    ///
    /// - Parameter classNames: The classes that count; empty for all.
    /// - Returns: The totals.
    /// - Throws: The errors of reading.
    package func totals(of classNames: Set<String>) async throws -> ItemTotals {
        try await SourcePreview(nil, "") { try ExportTotals(self, classNames) }.all
    }

    /// What the import would do with all objects.
    ///
    /// - Parameters:
    ///   - classNames: The classes that count; empty for all.
    ///   - journal: What is done already; `nil` for an import that has not begun.
    ///   - rules: Which items would be sent again.
    ///   - domain: The URL in front of the keys of files.
    /// - Returns: The sums over the classes.
    /// - Throws: The errors of reading.
    package func preview(
        of classNames: Set<String>,
        _ journal: Journal?,
        repeating rules: RepeatRules,
        fileDomain domain: String?
    ) async throws -> SourcePreview {
        var sum: SourcePreview?
        for name in self.classNames where classNames.isEmpty || classNames.contains(name) {
            let parts: [SourcePreview]
            if name == "_File" {
                parts = [
                    try await SourcePreview(journal, name, repeating: rules) {
                        try ExportFileItems(self, domain: domain)
                    },
                    try await SourcePreview(journal, name, repeating: rules) {
                        try ExportFileRecords(self, includingInternal: false)
                    },
                ]
            } else {
                parts = [try await SourcePreview(journal, name, repeating: rules) { try ExportObjects(self, name) }]
            }
            for part in parts {
                guard var total = sum else {
                    sum = part
                    continue
                }
                total.toDo += part.toDo
                total.done += part.done
                total.failed += part.failed
                total.changed += part.changed
                total.unusable += part.unusable
                total.examples = Array((total.examples + part.examples).prefix(20))
                sum = total
            }
        }
        if let sum { return sum }
        return try await SourcePreview(nil, "") { ItemList<ExportedObject>([]) }
    }
}

/// The sizes of all objects of an export, without checking them.
private struct ExportTotals: ItemSource {
    struct Item: MigrationItem {
        let size: Int64?
        var name: String { "" }
        var fingerprint: String { "" }
        var objectId: String? { nil }
    }

    private var rows: ExportRows
    private var files: ExportRows

    init(_ export: Export, _ classNames: Set<String>) throws {
        func isChosen(_ part: ExportPart, _ isFile: Bool) -> Bool {
            guard case .objects(let name) = part else { return false }
            return (name == "_File") == isFile && (classNames.isEmpty || classNames.contains(name))
        }
        rows = try ExportRows(export) { isChosen($0, false) }
        files = try ExportRows(export) { isChosen($0, true) }
    }

    mutating func next() throws -> SourceElement<Item>? {
        if let row = try rows.next() { return .item(Item(size: (try? row.content.get()).map { Int64($0.count) })) }
        guard let row = try files.next() else { return nil }
        let file = (try? row.content.get()).flatMap { try? ExportedFile($0, at: row.place) }
        return .item(Item(size: file?.size))
    }
}
