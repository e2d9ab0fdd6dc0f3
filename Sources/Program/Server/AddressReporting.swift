internal import NIOCore
internal import ServiceLifecycle

/// Runs a listener, and reports in one message why it cannot listen.
///
/// ``AddressReservation`` finds most reasons before; this finds a process that listens on the address since then.
struct AddressReporting<Listener: Service>: Service {
    private let listener: Listener
    private let address: ListenerAddress

    /// - Parameters:
    ///   - listener: The service that binds and serves.
    ///   - address: The address to which it binds.
    init(_ listener: Listener, at address: ListenerAddress) {
        self.listener = listener
        self.address = address
    }

    func run() async throws {
        do {
            try await listener.run()
        } catch let error as IOError {
            throw address.error(error.errnoCode)
        }
    }
}
