import Hummingbird
import Logging

/// A server with one route and no middleware, beside which Benchmarks/request_floor.py measures what a request costs.
///
///     BareHummingbird <port>
@main struct BareHummingbird {
    static func main() async throws {
        let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
        let router = Router()
        router.get("health") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "application/json;charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"status":"ok"}"#))
            )
        }
        var logger = Logger(label: "bare")
        logger.logLevel = .warning
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            logger: logger
        )
        try await application.runService()
    }
}
