internal import Glibc

/// Tells systemd that the server accepts requests, for units with `Type=notify`.
///
/// The protocol is that of sd_notify(3): one datagram to the Unix socket that `NOTIFY_SOCKET` names. The server needs
/// no libsystemd for it.
package struct ReadinessNotice {
    private let path: String

    /// Finds the socket of systemd; `nil` without `NOTIFY_SOCKET`, because no service manager waits for the notice.
    ///
    /// - Parameter environment: The environment of the process.
    package init?(environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], !path.isEmpty else { return nil }
        self.path = path
    }

    /// Sends the notice, without waiting for systemd.
    ///
    /// - Returns: Whether it was sent. If not, systemd ends the server after `TimeoutStartSec`.
    package func send() -> Bool {
        guard let (address, length) = ReadinessNotice.address(of: path) else { return false }
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let notice = Array("READY=1".utf8)
        let sent = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                sendto(descriptor, notice, notice.count, 0, generic, length)
            }
        }
        return sent == notice.count
    }

    /// The address of a Unix socket, and its length (unix(7)).
    ///
    /// - Parameter path: A path, or a name in the abstract namespace with `@` as first character.
    /// - Returns: `nil` if the path is empty or longer than an address can hold.
    static func address(of path: String) -> (sockaddr_un, socklen_t)? {
        var bytes = Array(path.utf8)
        // The kernel marks names of the abstract namespace by a zero.
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        var address = sockaddr_un()
        guard !bytes.isEmpty, bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return (address, socklen_t(MemoryLayout<sa_family_t>.size + bytes.count))
    }
}
