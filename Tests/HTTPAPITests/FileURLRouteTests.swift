import Domain
import HTTPTypes
import Support
import Testing

@testable import HTTPAPI

/// `POST /files/<id>/url`: URLs that expire.
@Suite struct FileURLRouteTests {
    private func server(_ access: FileAccess, _ images: ImageAccess = .any) -> TestServer {
        var server = TestServer()
        server.fileAccess = access
        server.imageAccess = images
        server.names = ImageNames(styles: ["small": "imageView2/2/w/10/format/png"], separator: "!")
        return server
    }

    @Sendable private func url(
        _ client: TestClient,
        _ id: String,
        _ body: String,
        _ who: Who = .client
    ) async throws -> (answer: TestResponse, target: String) {
        let response = try await client.send("POST", "/1.1/files/\(id)/url", body, who.headers)
        let url = try? response.json()["url"]?.stringValue
        return (response, (url ?? "").replacing("https://files.example.com", with: ""))
    }

    @Test(
        "the URL of a private file or an image of it is valid for anyone",
        arguments: [
            "{}", #"{"expiresIn":60}"#, #"{"image":"imageView2/2/w/11"}"#, #"{"image":"small"}"#,
            #"{"image":"imageView2/2/w/11|imageView2/2/w/9"}"#, #"{"image":null,"expiresIn":null}"#,
        ]
    )
    func signed(body: String) async throws {
        try await server(.private).test { client in
            let id = try #require(try await client.upload("a.jpg")["objectId"]?.stringValue)
            let (answer, target) = try await url(client, id, body)
            #expect(answer.status == .ok)
            #expect(try answer.json()["expiresAt"]?.stringValue?.utf8.count == 24)
            #expect(try await client.send("GET", target, nil, [:]).status == .ok, "\(target)")
        }
    }

    @Test(
        "a URL that needs no signature has none, and does not expire",
        arguments: [
            ("{}", ""), (#"{"image":"imageView2/2/w/11"}"#, "?imageView2/2/w/11"), (#"{"image":"small"}"#, "!small"),
        ]
    )
    func unsigned(body: String, ending: String) async throws {
        try await server(.acl).test { client in
            let record = try await client.upload("a.jpg")
            let (id, key) = (try #require(record["objectId"]?.stringValue), try #require(record["key"]?.stringValue))
            let (answer, target) = try await url(client, id, body)
            #expect(target == "/\(key)\(ending)")
            #expect(try answer.json()["expiresAt"] == nil)
        }
    }

    @Test(
        "who gets a URL",
        arguments: [(Who.guest, 401), (.client, 403), (.master, 200), (.stranger, 404)]
    )
    func access(who: Who, status: Int) async throws {
        try await server(.acl).test { client in
            let id = try #require(try await client.upload("a.jpg")["objectId"]?.stringValue)
            _ = try await client.send("PUT", "/1.1/files/\(id)", #"{"ACL":{}}"#, Who.master.headers)
            #expect(try await url(client, id, "{}", who).answer.status.code == status)
        }
    }

    @Test(
        "where images are limited, styles are for every caller and operators for the master key",
        arguments: [
            (ImageAccess.styles, "small", Who.client, 200), (.signed, "small", .client, 200),
            (.styles, "imageView2/2/w/11", .client, 403), (.signed, "imageView2/2/w/11", .client, 403),
            (.styles, "imageView2/2/w/11", .master, 200), (.signed, "imageView2/2/w/11", .master, 200),
        ]
    )
    func limited(images: ImageAccess, image: String, who: Who, status: Int) async throws {
        try await server(.public, images).test { client in
            let id = try #require(try await client.upload("a.jpg")["objectId"]?.stringValue)
            let (answer, target) = try await url(client, id, #"{"image":"\#(image)"}"#, who)
            #expect(answer.status.code == status)
            if status == 200 { #expect(try await client.send("GET", target, nil, [:]).status == .ok) }
        }
    }

    @Test(
        "bad requests name the member",
        arguments: [
            ("[]", "JSON object"), (#"{"expiresIn":0}"#, "expiresIn"), (#"{"expiresIn":3601}"#, "files.urlLifetime"),
            (#"{"expiresIn":"60"}"#, "expiresIn"), (#"{"image":""}"#, "image"), (#"{"image":1}"#, "image"),
            (#"{"image":"large"}"#, "unknown operator 'large'"), (#"{"image":"imageView2/2/w/x"}"#, "'w'"),
        ]
    )
    func bad(body: String, part: String) async throws {
        try await server(.private).test { client in
            let id = try #require(try await client.upload("a.jpg")["objectId"]?.stringValue)
            let answer = try await url(client, id, body).answer
            #expect(answer.status == .badRequest)
            #expect(answer.text.contains(part), "\(answer.text)")
        }
    }

    @Test("a file on another server keeps its URL, and an unknown file has none")
    func others() async throws {
        try await server(.private).test { client in
            let body = #"{"name":"a.jpg","url":"https://elsewhere.example/a.jpg"}"#
            let id = try #require(try await client.send("POST", "/1.1/files", body).json()["objectId"]?.stringValue)
            #expect(try await url(client, id, "{}").target == "https://elsewhere.example/a.jpg")
            #expect(try await url(client, "653f00000000000000000001", "{}").answer.status == .notFound)
            #expect(try await url(client, "x", "{}").answer.status == .notFound)
        }
    }
}
