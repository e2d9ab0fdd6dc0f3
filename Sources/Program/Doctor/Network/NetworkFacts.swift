internal import Glibc

/// The addresses of a host name, and whether one of them is this machine's.
struct NameFacts: Sendable, Equatable {
    let name: String
    /// The addresses as text; empty if the name does not resolve.
    var addresses: [String] = []
    var isHere = false
    /// The resolver's message; `nil` if the name resolves.
    var failure: String?

    init(_ name: String) { self.name = name }

    /// Resolves a name; blocks as long as the resolver.
    init(resolving name: String) {
        self.name = name
        let own = NameFacts.ownAddresses()
        do throws(ResolverFailure) {
            addresses = try Resolved.all(of: name, port: 0).map(\.text)
            isHere = addresses.contains(where: own.contains)
        } catch {
            failure = error.text
        }
    }

    private static func ownAddresses() -> Set<String> {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: Set<String> = []
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            guard let address = entry.pointee.ifa_addr else { continue }
            let family = CInt(address.pointee.sa_family)
            guard family == AF_INET || family == AF_INET6 else { continue }
            let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            if let text = Resolved.text(address, socklen_t(size)) { found.insert(text) }
        }
        return found
    }
}

/// Why a name does not resolve.
struct ResolverFailure: Error {
    let text: String
}

/// An address of a host for a stream.
struct Resolved {
    /// The address in numbers.
    let text: String
    private let bytes: [UInt8]
    private let family: CInt

    private init(_ info: addrinfo) {
        bytes = Array(UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen)))
        family = info.ai_family
        text = Resolved.text(info.ai_addr, info.ai_addrlen) ?? ""
    }

    /// Resolves a host and a port.
    static func all(of host: String, port: Int) throws(ResolverFailure) -> [Resolved] {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else { throw ResolverFailure(text: String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(list) }
        var found: [Resolved] = []
        var next = list
        while let entry = next, found.count < 16 {
            found.append(Resolved(entry.pointee))
            next = entry.pointee.ai_next
        }
        return found
    }

    /// Connects and ends the connection.
    ///
    /// - Parameter seconds: How long it can take.
    /// - Returns: The error's message; `nil` if the connection was made.
    func connect(seconds: Int) -> String? {
        let connection = socket(
            family,
            CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue),
            0
        )
        guard connection >= 0 else { return String(cString: strerror(errno)) }
        defer { close(connection) }
        let status = bytes.withUnsafeBytes { bytes in
            Glibc.connect(connection, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        if status == 0 { return nil }
        guard errno == EINPROGRESS else { return String(cString: strerror(errno)) }
        var waiting = pollfd(fd: connection, events: Int16(POLLOUT), revents: 0)
        guard poll(&waiting, 1, CInt(seconds * 1000)) == 1 else { return "no answer within \(seconds) seconds" }
        var code: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(connection, SOL_SOCKET, SO_ERROR, &code, &length)
        return code == 0 ? nil : String(cString: strerror(code))
    }

    /// An address in numbers, without a zone.
    static func text(_ address: UnsafePointer<sockaddr>?, _ length: socklen_t) -> String? {
        guard let address else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(address, length, &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.split(separator: "%").first.map(String.init)
    }
}
