internal import Domain
package import Hummingbird
internal import NIOCore

/// What every request carries: its logger and id, its connection, and the caller once one is known.
package struct APIContext: RequestContext {
    /// Hummingbird's own part.
    package var coreContext: CoreRequestContextStorage
    let channel: any Channel
    var caller: Caller?

    /// Made by Hummingbird for each request.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

/// What a request behind authentication carries: a caller that is not optional, so that no route forgets to ask.
struct CallerContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let caller: Caller
    let channel: any Channel

    init(context: APIContext) throws {
        guard let caller = context.caller else { throw ServiceError(.unauthorized, "Unauthorized.") }
        self.caller = caller
        channel = context.channel
        coreContext = context.coreContext
    }
}
