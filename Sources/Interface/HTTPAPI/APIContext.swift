internal import Domain
package import Hummingbird
internal import NIOCore

/// The context of every request: its logger and id, its connection, and the caller once it is known.
package struct APIContext: RequestContext {
    /// Hummingbird's part of the context.
    package var coreContext: CoreRequestContextStorage
    let channel: any Channel
    var caller: Caller?
    /// What routes find out, for the log.
    let notes = RequestNotes()
    /// The client for which a trusted proxy sent the request; `nil` if the connection is the client's own.
    var forwardedClient: IPAddress?
    /// Whether a trusted proxy sent the request with the field that names its client.
    ///
    /// Without the field the client is the proxy itself, or a program on the machine of the proxy.
    package var isClientNamed = false
    /// Prepares responses to the same request; `nil` if the request gets none.
    var preparation: HotDownloadPreparation?

    /// Creates the context; called by Hummingbird for each request.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

/// The context of an authenticated request: its caller is not optional, so that no route can omit the check.
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
