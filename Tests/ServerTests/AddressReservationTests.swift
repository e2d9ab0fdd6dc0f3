import Glibc
import NIOCore
import Storage
import Testing

@testable import Server

@Suite struct AddressReservationTests {
    private func address(_ host: String, _ port: Int) -> ListenerAddress {
        var configuration = ServerConfiguration()
        (configuration.host, configuration.port) = (host, port)
        return .api(configuration)
    }

    private func refusal(_ address: ListenerAddress) throws -> ExitError {
        try #require(throws: ExitError.self) { _ = try AddressReservation(address) }
    }

    /// A listening socket of another process, as far as the kernel cares.
    private func listener(on port: Int) throws -> CInt {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var one: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
        let status = try SocketAddress(ipAddress: "127.0.0.1", port: port).withSockAddr { address, size in
            bind(descriptor, address, socklen_t(size))
        }
        try #require(status == 0)
        try #require(listen(descriptor, 1) == 0)
        return descriptor
    }

    @Test("a listener can bind to a reserved address, and port 0 is a free one")
    func reserved() throws {
        let reservation = try AddressReservation(address("127.0.0.1", 0))
        #expect((1...65535).contains(reservation.port))
        try withExtendedLifetime(reservation) { _ = close(try listener(on: reservation.port)) }
    }

    @Test("a port on which another process listens is 69, and the setting is named")
    func taken() throws {
        let port = try AddressReservation(address("127.0.0.1", 0)).port
        let descriptor = try listener(on: port)
        defer { close(descriptor) }
        let error = try refusal(address("127.0.0.1", port))
        #expect(error.exitCode == 69)
        let reason = "another process listens on it; choose another port (LCFILE_PORT)"
        #expect(error.description == "cannot listen on 127.0.0.1:\(port): \(reason)")
        var metrics = ServerConfiguration.MetricsSettings()
        metrics.port = port
        let other = try refusal(.metrics(metrics))
        let setting = "metrics.port (LCFILE_METRICS_PORT), or set metrics.enabled to false"
        #expect(other.description.hasSuffix("choose another \(setting)"))
    }

    // Names that no DNS request can have, so that no server is asked.
    @Test("a host that has no address is 78", arguments: ["no..where", "a..b"])
    func unresolved(host: String) throws {
        let error = try refusal(address(host, 0))
        #expect(error.exitCode == 78)
        #expect(error.description == "host is '\(host)', which cannot be resolved to an address")
    }

    @Test("an address of another machine is 69")
    func foreign() throws {
        let error = try refusal(address("192.0.2.1", 0))
        #expect(error.exitCode == 69)
        #expect(error.description.hasSuffix("this machine does not have the address; change host (LCFILE_HOST)"))
    }
}
