import Glibc
import Testing

@testable import Server

@Suite struct ReadinessNoticeTests {
    @Test("systemd's socket gets READY=1, by path and by abstract name", arguments: ["/tmp/lcfile-", "@lcfile-"])
    func arrives(prefix: String) throws {
        let name = "\(prefix)\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        let (address, length) = try #require(ReadinessNotice.address(of: name))
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
        defer {
            close(descriptor)
            if prefix.first == "/" { unlink(name) }
        }
        let status = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(status == 0)

        #expect(ReadinessNotice(environment: ["NOTIFY_SOCKET": name])?.send() == true)
        var received = [UInt8](repeating: 0, count: 64)
        let count = recv(descriptor, &received, received.count, 0)
        #expect(String(decoding: received.prefix(max(0, count)), as: UTF8.self) == "READY=1")
    }

    @Test("without systemd there is no notice", arguments: [[:], ["NOTIFY_SOCKET": ""]])
    func none(environment: [String: String]) {
        #expect(ReadinessNotice(environment: environment) == nil)
    }

    @Test(
        "a socket that cannot be reached is reported",
        arguments: ["/tmp/lcfile-no-such-socket", String(repeating: "long", count: 30)]
    )
    func unreachable(path: String) {
        #expect(ReadinessNotice(environment: ["NOTIFY_SOCKET": path])?.send() == false)
    }
}
