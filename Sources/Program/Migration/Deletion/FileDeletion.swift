package import FileClient
internal import FoundationEssentials

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
            let path = FileItem.isURL(name) ? FileItem.urlPath(of: name) : name
            var record = known[name]
            if record == nil { record = try await client.file(key: path) }
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

    /// Removes from the selection all files to which an object of the app refers.
    ///
    /// - Throws: ``FileClientError``.
    package func removeReferenced(_ found: @Sendable (_ className: String) -> Void) async throws {
        for (name, fields) in try await client.classes().sorted(by: { $0.key < $1.key }) where name != "_File" {
            // Numbers, times and places cannot refer to a file.
            let plain: Set = ["Number", "Boolean", "Date", "GeoPoint", "ACL", "Relation", "Bytes"]
            let names = fields.filter { !plain.contains($0.value.type ?? "") }.keys.sorted()
            guard !names.isEmpty else { continue }
            found(name)
            var cursor: String?
            repeat {
                let page = try await client.scan(class: name, keys: names, cursor: cursor)
                for object in page.objects { try await candidates.remove(FileReferences(in: object)) }
                cursor = page.cursor
            } while cursor != nil
        }
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
