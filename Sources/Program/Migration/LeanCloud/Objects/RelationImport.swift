internal import FileClient

/// Adds the members of a relation to objects, without changing the times of the objects.
struct RelationImport: Sendable {
    /// What a batch contains.
    static let batch = MigrationRun.BatchLimit(items: 50, bytes: 1 << 20)

    let client: FileClient
    /// The class that has the relation.
    let className: String
    /// The relation's field.
    let field: String
    /// The class of the members.
    let target: String

    /// Sends a batch and returns the end of each item; pointers that are there already are not added again.
    func send(_ batch: [PlannedItem<RelationChunk>], _ progress: BatchProgress) async -> [ItemEnd] {
        do {
            let owners = try await client.objects(of: className, withIDs: Array(Set(batch.map(\.item.owner))))
            var ends: [ItemEnd] = []
            var calls: [BatchCall] = []
            for planned in batch {
                if let owner = owners[planned.item.owner] {
                    calls.append(call(planned.item, owner["updatedAt"]))
                    ends.append(.done)
                } else {
                    ends.append(.failed("\(className) has no object with the objectId \(planned.item.owner)"))
                }
            }
            var results = try await client.batch(calls)[...]
            for (index, planned) in batch.enumerated() where owners[planned.item.owner] != nil {
                guard case .failure(let error)? = results.popFirst() else { continue }
                ends[index] = error.isAboutServer ? .stopped(error) : .failed(error.message)
            }
            return ends
        } catch {
            let end = await ItemEnd.of { throw error }
            return batch.map { _ in end }
        }
    }

    private func call(_ chunk: RelationChunk, _ updatedAt: JSON?) -> BatchCall {
        let pointers = chunk.related.map { id in
            JSON.object(["__type": .string("Pointer"), "className": .string(target), "objectId": .string(id)])
        }
        var body = [field: JSON.object(["__op": .string("AddRelation"), "objects": .array(pointers)])]
        body["updatedAt"] = updatedAt
        let path = className == "_User" ? "users" : "classes/" + FileClient.percentEncoded(className)
        return BatchCall("PUT", "\(path)/\(chunk.owner)", JSON.object(body).encoded)
    }
}
