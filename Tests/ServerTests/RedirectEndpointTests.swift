import HTTPTypes
import HummingbirdCore
import Testing

@testable import Server

@Suite struct RedirectEndpointTests {
    private func location(_ authority: String?, _ path: String, publicURL: String? = nil, port: Int = 8443) -> String? {
        var configuration = ServerConfiguration()
        configuration.publicURL = publicURL
        configuration.port = port
        let head = HTTPRequest(method: .get, scheme: "http", authority: authority, path: path)
        return RedirectEndpoint.response(to: head, configuration).headers[.location]
    }

    @Test(
        "the name is that which the client used, with the port of the encrypted listener",
        arguments: [
            ("a.example", "https://a.example:8443/x?y"), ("a.example:80", "https://a.example:8443/x?y"),
            ("192.0.2.1:8080", "https://192.0.2.1:8443/x?y"), ("[2001:db8::1]", "https://[2001:db8::1]:8443/x?y"),
            ("[2001:db8::1]:80", "https://[2001:db8::1]:8443/x?y"),
        ]
    )
    func name(authority: String, expected: String) {
        #expect(location(authority, "/x?y") == expected)
    }

    @Test("the port of HTTPS is not named")
    func defaultPort() {
        #expect(location("a.example", "/", port: 443) == "https://a.example/")
    }

    @Test("publicURL is the URL if it is set")
    func publicURL() {
        #expect(location("b.example", "/x", publicURL: "https://files.example.com") == "https://files.example.com/x")
    }

    @Test("a target that is no path leads to the root")
    func otherTargets() {
        #expect(location("a.example", "*") == "https://a.example:8443/")
    }

    @Test("a client that names no host gets an error")
    func noHost() {
        #expect(location(nil, "/x") == nil)
    }
}
