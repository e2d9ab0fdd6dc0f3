/// Runs a body to its end, also if the calling task is cancelled, and returns its result.
///
/// For steps that must not end halfway because a client disconnects: bytes that are on the disk are counted, and what was
/// staged for a failed upload is removed. The body has a task of its own, so calls in it that stop in a cancelled task do
/// not stop. It must end by itself, because its caller waits for it.
package func shieldedFromCancellation<Result: Sendable>(
    _ body: sending @escaping @isolated(any) () async throws -> Result
) async throws -> Result {
    try await Task(operation: body).value
}

/// Runs a body that does not throw to its end, also if the calling task is cancelled.
package func shieldedFromCancellation<Result: Sendable>(
    _ body: sending @escaping @isolated(any) () async -> Result
) async -> Result {
    await Task(operation: body).value
}
