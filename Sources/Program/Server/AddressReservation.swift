internal import Glibc
internal import NIOCore
internal import Storage

/// An address on which the server will listen, taken before anything is created in the storage.
///
/// The socket is bound and never listens. On Linux the listener can bind to the same address nevertheless, because both
/// sockets have SO_REUSEADDR; meanwhile the kernel gives the port to no other process that requests a free one. The
/// reservation ends with the object.
final class AddressReservation: Sendable {
    /// The port; that of the kernel's choice if port 0 was asked for.
    let port: Int
    private let descriptor: CInt

    /// Resolves the host and binds a socket.
    ///
    /// - Parameter address: The host, the port and the names of their settings.
    /// - Throws: ``ExitError`` naming the settings of the address: 78 for a host that has no address, otherwise 69.
    init(_ address: ListenerAddress) throws {
        guard let resolved = try? SocketAddress.makeAddressResolvingHost(address.host, port: address.port) else {
            throw ExitError.configuration(
                "\(address.names.host) is '\(address.host)', which cannot be resolved to an address"
            )
        }
        let family = resolved.protocol == .inet6 ? AF_INET6 : AF_INET
        let descriptor = socket(family, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw address.error(errno) }
        var one: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
        let status = resolved.withSockAddr { bind(descriptor, $0, socklen_t($1)) }
        guard status == 0 else {
            let code = errno
            close(descriptor)
            throw address.error(code)
        }
        port = address.port == 0 ? AddressReservation.boundPort(of: descriptor) : address.port
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func boundPort(of descriptor: CInt) -> Int {
        // IPv4 and IPv6 addresses both have the port in bytes 2 and 3, the higher byte first.
        withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            var size = socklen_t(bytes.count)
            _ = getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
            return Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }
}
