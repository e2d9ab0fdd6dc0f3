import Domain
import Glibc
import Testing

@testable import CurlFetch

@Suite(.timeLimit(.minutes(5))) struct GuardedFetchTests {
    @Test(
        "this machine is refused by the address that is connected to, in every notation of it",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
            ("017700000001", "127.0.0.1"), ("0", "0.0.0.0"), ("127.0.0.2", "127.0.0.2"),
        ]
    )
    func guarded(host: String, address: String) async throws {
        try await LoopbackServer.with(["/a": .file("secret")]) { server, port in
            let error = try await refusal(of: "http://\(host):\(port)/a", allowed: [])
            #expect(error.code == .badRequest)
            #expect(error.message == unreachable)
            #expect((error.cause as? FetchFailure)?.refusedAddress?.description == address)
            #expect(server.requests == [])
        }
    }

    @Test(
        "so it is by name and in version 6",
        arguments: ["localhost", "LOCALHOST", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[64:ff9b::127.0.0.1]"]
    )
    func guardedOthers(host: String) async throws {
        try await LoopbackServer.with(["/a": .file("secret")]) { server, port in
            let error = try await refusal(of: "http://\(host):\(port)/a", allowed: [])
            #expect(error.message == unreachable)
            #expect(server.requests == [])
        }
    }

    @Test(
        "a refused address, an unreachable host and an unknown name get the same answer",
        arguments: ["https://127.0.0.2:1/", "http://127.0.0.1:1/", "http://nobody.invalid/"]
    )
    func sameSentence(url: String) async throws {
        let error = try await refusal(of: url)
        #expect(error.code == .badRequest)
        #expect(error.message == unreachable)
    }

    @Test("a host in another script is not looked up")
    func foreignHost() async throws {
        let error = try await refusal(of: "http://１２７.0.0.1/", allowed: [])
        #expect(error.message.contains("ASCII"))
    }

    @Test("proxies of the environment are not asked")
    func proxies() async {
        // The environment is the process's, so this takes one of its own.
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"] {
                setenv(name, "http://127.0.0.1:1", 1)
            }
            for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
            let taken = Taken()
            try await LoopbackServer.with(["/a": .file("hello")]) { _, port in
                _ = try await fetch("http://127.0.0.1:\(port)/a") { await taken.take($0) }
            }
            try #require(taken.text == "hello")
        }
    }

    @Test(
        "a redirect from an open address to a closed one is not followed",
        arguments: ["127.0.0.2", "[::ffff:127.0.0.2]"]
    )
    func redirectInside(host: String) async throws {
        try await LoopbackServer.with(["/b": .file("secret")], host: "127.0.0.2") { inner, innerPort in
            try await LoopbackServer.with(["/a": .redirect(to: "http://\(host):\(innerPort)/b")]) { outer, port in
                let error = try await refusal(of: "http://127.0.0.1:\(port)/a")
                #expect(error.code == .badRequest)
                #expect(error.message == unreachable)
                #expect(outer.requests.count == 1)
            }
            #expect(inner.requests == [])
        }
    }

    @Test("nor is one to the closed address of version 6, and the guard is who refused")
    func redirectToVersion6() async throws {
        try await LoopbackServer.with(["/a": .redirect(to: "http://[::1]:1/b")]) { _, port in
            let error = try await refusal(of: "http://127.0.0.1:\(port)/a")
            #expect(error.message == unreachable)
            #expect((error.cause as? FetchFailure)?.refusedAddress == IPAddress("::1"))
        }
    }
}
