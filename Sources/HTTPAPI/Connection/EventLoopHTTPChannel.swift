internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// Hummingbird's HTTP/1.1 connection, with everything that answers its requests running on its own event loop.
///
/// By default each step of a request hops between the event loop and the cooperative pool, which costs a small download
/// more than all its work. Nothing that blocks runs in a request, so the loop can run it: what blocks has its own
/// threads, and comes back here.
struct EventLoopHTTPChannel: HTTPChannelHandler {
    private let base: HTTP1Channel

    var responder: Responder { base.responder }

    init(_ base: HTTP1Channel) {
        self.base = base
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger)
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        let executor = EventLoopTaskExecutor(value.channel.eventLoop)
        await withTaskExecutorPreference(executor) {
            await base.handle(value: value, logger: logger)
        }
    }
}

/// Runs jobs of tasks on an event loop.
private final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
