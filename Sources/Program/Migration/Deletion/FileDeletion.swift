package import FileClient

/// Selects files for a deletion, and deletes them.
package struct FileDeletion: Sendable {
    /// Files of this age in seconds or less are never taken for unreferenced: their object may not be saved yet.
    package static let referenceDelay: Double = 86400

    private let client: FileClient
    private let candidates: FileCandidates

    /// Creates a deletion.
    ///
    /// - Parameters:
    ///   - client: The client, with the master key.
    ///   - candidates: Where the selection is stored.
    package init(_ client: FileClient, _ candidates: FileCandidates) {
        self.client = client
        self.candidates = candidates
    }

    /// Selects the files that match a condition.
    ///
    /// - Throws: ``FileClientError``.
    package func select(_ condition: JSON?) async throws {
        var cursor: String?
        repeat {
            let page = try await client.scan(condition, cursor: cursor)
            try await candidates.add(page.records)
            cursor = page.cursor
        } while cursor != nil
    }

    /// Selects named files.
    ///
    /// - Parameter names: At most 100 objectIds, keys or URLs.
    /// - Throws: ``FileClientError``.
    package func select(_ names: [String]) async throws {
        let known = try await client.files(names.filter { $0.utf8.allSatisfy(\.isIDCharacter) })
        for name in names {
            var record = known[name]
            if record == nil {
                record = try await FileItem.isURL(name) ? client.file(url: name) : client.file(key: name)
            }
            guard let record else {
                try await candidates.refuse(name, because: "there is no such file")
                continue
            }
            try await candidates.add([record])
        }
    }

    /// Selects the files of a list, which is read page by page.
    ///
    /// - Parameters:
    ///   - list: The list; reading it blocks.
    ///   - place: What stands before the number of a line that cannot be used.
    /// - Throws: ``FileClientError``; ``MigrationError`` if the list cannot be read.
    package func select(_ list: NameList, named place: String) async throws {
        var list = list
        var names: [String] = []
        while let element = try list.next() {
            switch element {
            case .success(let name): names.append(name)
            case .failure(let line): try await candidates.refuse("\(place) \(line.line)", because: line.reason)
            }
            guard names.count == 100 else { continue }
            try await select(names)
            names = []
        }
        if !names.isEmpty { try await select(names) }
    }

    /// Removes from the selection all files except those that the server would collect: files with bytes to which no
    /// object refers, and which are older than ``referenceDelay``.
    ///
    /// An earlier collection of the app ends.
    ///
    /// - Parameter show: Receives how far the server's scan of all objects is.
    /// - Throws: ``FileClientError``; ``MigrationError`` if the journal cannot be written.
    package func removeReferenced(_ show: @Sendable (CollectionProgress) -> Void) async throws {
        let order = CollectionOrder(unusedFor: Int(FileDeletion.referenceDelay))
        let collection = try await client.beginCollection(order)
        var isComplete = false
        while !isComplete {
            let progress = try await client.scan(collection)
            show(progress)
            isComplete = progress.complete
        }
        var cursor: String?
        repeat {
            let page = try await client.files(ofCollection: collection, cursor: cursor)
            try await candidates.mark(page.results.map(\.objectId))
            cursor = page.cursor
        } while cursor != nil
        try await candidates.removeUnmarked()
        try await client.endCollection(collection)
    }

    /// Deletes a batch of candidates.
    package func delete(_ batch: [PlannedItem<FileCandidate>]) async -> [ItemEnd] {
        let all = await ItemEnd.of { try await client.deleteFiles(batch.map(\.item.name)) }
        guard case .failed = all, batch.count > 1 else { return Array(repeating: all, count: batch.count) }
        // One of them is refused: the others are not.
        var ends: [ItemEnd] = []
        for planned in batch { ends.append(await ItemEnd.of { try await client.deleteFile(planned.item.name) }) }
        return ends
    }
}

extension UInt8 {
    fileprivate var isIDCharacter: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}
