import Domain
import Testing

/// Batches and saves, and what tests put into them in one line.
extension SessionFixture {
    func creation(_ text: String, in name: ClassName, mustExist: Bool = false) throws -> ObjectCommand {
        let change = try ObjectChange(json(text), allowsPaths: false)
        return ObjectCommand(name, .create(change, returnsObject: false), mustExist: mustExist)
    }

    func change(_ text: String, of id: ObjectID, in name: ClassName) throws -> ObjectCommand {
        let change = try ObjectChange(json(text), allowsPaths: true)
        return ObjectCommand(name, .update(id, change, where: nil, returnsObject: false))
    }

    /// Performs commands in a batch; gives the code of each that failed.
    func batch(_ commands: [ObjectCommand], as caller: Caller) async throws -> [ServiceError.Code?] {
        var batch = ObjectBatch()
        let replies = try await objects.perform(commands.map { .success($0) }, in: &batch, as: caller)
        return try replies.map { reply in
            guard case .failure(let error) = reply else { return nil }
            return try #require(error as? ServiceError).code
        }
    }

    /// An item of a save: `A` is the client's name of its object unless it has an id or another name.
    func item(
        _ text: String,
        in name: ClassName,
        id: ObjectID? = nil,
        creates: Bool = true,
        mustExist: Bool = false
    ) throws -> SaveItem {
        var members = try #require(json(text).objectValue)
        members["__internalId"] = members["__internalId"] ?? .string(id?.description ?? "A")
        return try SaveItem(
            className: name,
            id: id,
            creates: creates && id == nil,
            body: .object(members),
            where: nil,
            returnsObject: false,
            mustExist: mustExist
        )
    }

    /// Saves items together; gives the code of the error if they are refused.
    @discardableResult
    func save(_ items: [SaveItem], as caller: Caller) async throws -> ServiceError.Code? {
        do {
            _ = try await objects.save(items, as: caller)
            return nil
        } catch let error as ServiceError {
            return error.code
        }
    }

    /// A field of a stored object.
    func field(_ name: String, of id: ObjectID, in className: ClassName) async throws -> JSONValue? {
        try await store.read { try $0.object(id, in: className)?.fields[name] }
    }
}
