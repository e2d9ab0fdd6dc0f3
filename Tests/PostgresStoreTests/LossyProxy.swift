import Glibc
import Synchronization

/// A TCP proxy in front of PostgreSQL that can lose the answer to a commit.
///
/// Each connection has two threads, which end with it.
final class LossyProxy: Sendable {
    /// The port at which it listens, on 127.0.0.1.
    let port: UInt16
    private let listener: CInt
    private let target: UInt16
    private let mustLose = Atomic(false)
    private let losses = Atomic(0)
    private let isFrozen = Atomic(false)
    private let connections = Atomic(0)
    /// The number of the last connection that stays silent.
    private let lastSilent = Atomic(0)
    private let isClosed = Atomic(false)
    private let received = Atomic(0)

    struct Failed: Error {
        let code: CInt
    }

    /// Listens, and passes connections on to a port of 127.0.0.1.
    init(to target: UInt16) throws {
        self.target = target
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = LossyProxy.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) + listen(listener, 16) + getsockname(listener, pointer, &length)
            }
        }
        guard status == 0 else { throw Failed(code: errno) }
        port = address.sin_port.bigEndian
        start { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                serve(client)
            }
        }
    }

    /// Loses the answer to the next commit, and with it the connection.
    func loseNextCommit() { mustLose.store(true, ordering: .sequentiallyConsistent) }

    /// The number of lost answers.
    var lossCount: Int { losses.load(ordering: .sequentiallyConsistent) }

    /// Passes nothing on any more while connections stay open, as a proxy that hangs; `false` lets all bytes pass again.
    func freeze(_ isFrozen: Bool = true) { self.isFrozen.store(isFrozen, ordering: .sequentiallyConsistent) }

    /// Lets the connections that were opened so far pass nothing on until ``close()``, and later ones all bytes.
    func replaceFrozen() {
        lastSilent.store(connections.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent)
        freeze(false)
    }

    /// The number of bytes that the server has sent.
    var receivedCount: Int { received.load(ordering: .sequentiallyConsistent) }

    /// Ends the listener and silent connections; other open ones live on.
    func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        shutdown(listener, CInt(SHUT_RDWR))
    }

    private func serve(_ client: CInt) {
        let number = connections.add(1, ordering: .sequentiallyConsistent).newValue
        let server = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = LossyProxy.address(target)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(server, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let isLosing = Flag()
        start { [self] in
            if status == 0 {
                pass(from: client, to: server, of: number) { bytes in
                    guard bytes.contains("COMMIT"), mustLose.exchange(false, ordering: .sequentiallyConsistent) else {
                        return true
                    }
                    isLosing.set()
                    return true
                }
            }
            for socket in [client, server] { shutdown(socket, CInt(SHUT_RDWR)) }
        }
        start { [self] in
            pass(from: server, to: client, of: number) { bytes in
                _ = received.add(bytes.utf8.count, ordering: .sequentiallyConsistent)
                guard isLosing.isSet else { return true }
                _ = losses.add(1, ordering: .sequentiallyConsistent)
                return false
            }
            for socket in [client, server] { shutdown(socket, CInt(SHUT_RDWR)) }
        }
    }

    /// Passes bytes on until an end, or until the body returns `false` for some of them.
    private func pass(from source: CInt, to sink: CInt, of number: Int, _ body: (String) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            while isSilent(number) {
                guard !isClosed.load(ordering: .sequentiallyConsistent) else { return }
                usleep(5000)
            }
            guard count > 0, body(String(decoding: buffer.prefix(count), as: UTF8.self)) else { return }
            var sent = 0
            while sent < count {
                let written = buffer[sent..<count].withUnsafeBytes {
                    send(sink, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                guard written > 0 else { return }
                sent += written
            }
        }
    }

    private func isSilent(_ number: Int) -> Bool {
        isFrozen.load(ordering: .sequentiallyConsistent) || number <= lastSilent.load(ordering: .sequentiallyConsistent)
    }

    private func start(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        pthread_create(
            &thread,
            nil,
            { box in
                if let box { Unmanaged<Body>.fromOpaque(box).takeRetainedValue().run() }
                return nil
            },
            box.toOpaque()
        )
        pthread_detach(thread)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }
        func set() { value.store(true, ordering: .sequentiallyConsistent) }
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}
