internal import NIOCore
internal import ServiceLifecycle
internal import Storage

/// Runs a listener, and reports in one message why it cannot listen.
struct AddressReporting<Listener: Service>: Service {
    private let listener: Listener
    private let address: String
    private let settings: String

    /// - Parameters:
    ///   - listener: The service that binds and serves.
    ///   - host: The host to which it binds.
    ///   - port: The port to which it binds.
    ///   - settings: The settings to change, for the message.
    init(_ listener: Listener, host: String, port: Int, settings: String) {
        self.listener = listener
        address = "\(host):\(port)"
        self.settings = settings
    }

    func run() async throws {
        do {
            try await listener.run()
        } catch let error as IOError {
            throw ExitError.address("cannot listen on \(address): \(error) (settings: \(settings))")
        }
    }
}
