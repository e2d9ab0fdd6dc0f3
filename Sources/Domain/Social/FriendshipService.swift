/// Whom users follow, who their friends are, and whom they block (protocol/data 9, docs/people.md).
package struct FriendshipService: Sendable {
    let store: any ObjectStore
    let settings: ObjectSettings
    let objects: ObjectService

    /// - Parameters:
    ///   - store: The app's store.
    ///   - settings: The settings of objects.
    ///   - objects: Runs the queries of relations.
    package init(store: any ObjectStore, settings: ObjectSettings, objects: ObjectService) {
        self.store = store
        self.settings = settings
        self.objects = objects
    }

    /// Performs a change of relations.
    ///
    /// - Returns: The reply to its command.
    /// - Throws: As ``FriendshipCall/command()``.
    package func perform(_ call: FriendshipCall, as caller: Caller) async throws -> ObjectReply {
        try await objects.perform(try call.command(), as: caller)
    }
}
