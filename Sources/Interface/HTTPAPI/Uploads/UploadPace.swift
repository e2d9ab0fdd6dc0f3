internal import Domain
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// Refuses uploads that arrive so slowly that they only occupy a connection and a place among the open uploads.
struct UploadPace<Context: RequestContext>: RouterMiddleware {
    /// The minimum bytes a second (`uploads.minSpeed`); 0 for none.
    let speed: Int

    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard speed > 0, request.announcedSize ?? 1 > 0 else { return try await next(request, context) }
        var request = request
        request.body = RequestBody(asyncSequence: PacedBody(body: request.body, speed: speed))
        return try await next(request, context)
    }
}

/// A body whose sender must keep a minimum speed.
///
/// Only the time in which the server waits for bytes counts, not the time that it needs to store them.
private struct PacedBody: AsyncSequence, Sendable {
    let body: RequestBody
    let speed: Int

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: RequestBody.AsyncIterator
        var pace: BodyPace

        @concurrent mutating func next() async throws -> ByteBuffer? {
            let start = ContinuousClock.now
            guard let bytes = try await base.next() else { return nil }
            try pace.take(bytes.readableBytes, after: ContinuousClock.now - start)
            return bytes
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: body.makeAsyncIterator(), pace: BodyPace(speed: speed))
    }
}
