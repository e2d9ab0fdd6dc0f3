import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// What an app's settings add to its image URLs: styles, and formats by the client's word.
@Suite struct ImageStyleTests {
    private let renderer = FixedRenderer()

    private func server(_ names: ImageNames) -> TestServer {
        var server = TestServer()
        server.renderer = renderer
        server.names = names
        return server
    }

    private let styles = ImageNames(styles: ["small": "imageView2/2/w/10/format/png", "info": "imageInfo"])

    @Test(
        "a style's name behind a key is its chain",
        arguments: [
            ("-small", 200, "image/png"), ("-info", 200, "application/json"), ("-large", 404, nil),
            ("-", 404, nil), ("_small", 404, nil), ("-small?v=3", 200, "image/png"), ("-small-small", 404, nil),
            ("-small?imageView2/2/w/5", 400, nil), ("-small?nonsense", 400, nil), ("-Small", 404, nil),
        ] as [(String, Int, String?)]
    )
    func styles(rest: String, status: Int, type: String?) async throws {
        try await server(styles).test { client in
            let key = try await client.upload("a.jpg")["key"]?.stringValue ?? ""
            let response = try await client.execute(uri: "/\(key)\(rest)", method: .get)
            #expect(response.status.code == status, "\(response.text)")
            if let type { #expect(response.headers[.contentType]?.hasPrefix(type) == true) }
            if status == 404 { #expect(response.text == #"{"code":404,"error":"File not found."}"#) }
        }
    }

    @Test("the separator is the app's own")
    func separator() async throws {
        try await server(ImageNames(styles: styles.styles, separator: "!")).test { client in
            let key = try await client.upload("a.jpg")["key"]?.stringValue ?? ""
            #expect(try await client.send("GET", "/\(key)!small", nil, [:]).status == .ok)
            #expect(try await client.send("GET", "/\(key)-small", nil, [:]).status == .notFound)
        }
    }

    @Test("a file whose key is the path wins over a style")
    func realFile() async throws {
        try await server(styles).test { client in
            for (key, text) in [("pic", "hello"), ("pic-small", "other")] {
                let target = try await Target(client, #"{"name":"a.jpg","key":"\#(key)"}"#, Who.master.headers)
                _ = try await target.call(.put, "", text)
            }
            #expect(try await client.send("GET", "/pic-small", nil, [:]).text == "other")
            #expect(try await client.send("GET", "/pic-info", nil, [:]).status == .ok)
        }
    }

    @Test("a style and the operators that it stands for are one image")
    func shared() async throws {
        try await server(styles).test { client in
            let key = try await client.upload("a.jpg")["key"]?.stringValue ?? ""
            let styled = try await client.send("GET", "/\(key)-small", nil, [:])
            let written = try await client.send("GET", "/\(key)?imageView2/2/format/png/w/10", nil, [:])
            #expect(styled.headers[.eTag] == written.headers[.eTag])
        }
        #expect(renderer.made.value == 1)
    }

    @Test(
        "a client's Accept chooses the format where the URL does not",
        arguments: [
            ("image/avif,image/webp,*/*;q=0.8", "", "image/avif"), ("image/webp,*/*", "", "image/webp"),
            ("image/webp;q=0, image/*", "", "image/jpeg"), ("*/*", "", "image/jpeg"), ("", "", "image/jpeg"),
            ("image/avif", "/format/png", "image/png"),
        ]
    )
    func negotiation(accept: String, parameters: String, type: String) async throws {
        try await server(ImageNames(automatic: [.avif, .webp])).test { client in
            let key = try await client.upload("a.jpg")["key"]?.stringValue ?? ""
            let uri = "/\(key)?imageView2/2/w/10\(parameters)"
            let response = try await client.execute(uri: uri, method: .get, headers: [.accept: accept])
            #expect(response.headers[.contentType] == type)
            #expect(response.headers[.vary] == (parameters.isEmpty ? "Accept" : nil))
            let tag = response.headers[.eTag] ?? ""
            let again = try await client.execute(
                uri: uri,
                method: .get,
                headers: [.accept: accept, .ifNoneMatch: tag]
            )
            #expect(again.status == .notModified)
            #expect(again.headers[.vary] == (parameters.isEmpty ? "Accept" : nil))
        }
    }

    @Test("the file itself and questions are no matter of Accept")
    func noNegotiation() async throws {
        try await server(ImageNames(automatic: [.webp])).test { client in
            let key = try await client.upload("a.jpg")["key"]?.stringValue ?? ""
            for query in ["", "?imageInfo"] {
                let response = try await client.send("GET", "/\(key)\(query)", nil, [.accept: "image/webp"])
                #expect(response.headers[.vary] == nil)
            }
        }
    }

    @Test("imageslim alone keeps the format, and so is no matter of Accept")
    func slim() async throws {
        let server = server(ImageNames(automatic: [.avif, .webp]))
        try await server.test { client in
            let key = try await client.upload("a.jpg", "longer than its thumbnail")["key"]?.stringValue ?? ""
            for accept in ["image/avif", "image/webp", "*/*"] {
                let response = try await client.send("GET", "/\(key)?imageslim", nil, [.accept: accept])
                #expect(response.text == "thumbnail")
                #expect(response.headers[.contentType] == "image/jpeg")
                #expect(response.headers[.vary] == nil)
            }
        }
        #expect(server.derivatives.count <= 1)
    }

    @Test("imageslim behind another operator is a matter of Accept")
    func slimInChain() async throws {
        try await server(ImageNames(automatic: [.webp])).test { client in
            let key = try await client.upload("a.jpg")["key"]?.stringValue ?? ""
            let uri = "/\(key)?imageView2/2/w/10%7Cimageslim"
            let response = try await client.send("GET", uri, nil, [.accept: "image/webp"])
            #expect(response.headers[.contentType] == "image/webp")
            #expect(response.headers[.vary] == "Accept")
        }
    }
}
