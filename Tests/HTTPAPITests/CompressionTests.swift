import CZlib
import Domain
import HTTPTypes
import NIOCore
import Testing

@testable import HTTPAPI

@Suite struct CompressionTests {
    @Test(
        "gzip is used if the client accepts it and does not prefer no coding",
        arguments: [
            ("gzip", true), ("gzip, deflate, br", true), ("GZip", true), ("x-gzip", true), ("*", true),
            ("deflate, *;q=0.1", true), ("gzip;q=0.5", true), ("gzip ; Q=0.001", true), ("identity;q=0, gzip", true),
            ("identity, gzip", true), ("identity;q=0", false), ("*;q=0", false), ("gzip;q=0", false),
            ("gzip;q=0.000, *", false), ("", false), (nil, false), ("identity", false), ("br, deflate", false),
            ("gzip;q=0.5, identity", false), ("identity;q=0.8, *;q=0.5", false), ("gzipped", false),
            ("gzip;q=2", false), ("gzip;q=x", false), ("gzip;q=1e-1", false), ("gzip;q=-1", false), (",, gzip", true),
        ] as [(String?, Bool)]
    )
    func codings(header: String?, prefersGzip: Bool) {
        #expect(AcceptedCodings(header).prefersGzip == prefersGzip)
    }

    @Test("a stream is whole in any pieces", arguments: [1, 1000, 65536, 300_000])
    func stream(size: Int) throws {
        let text = ByteBuffer(string: String((0..<60_000).map { "\($0 &* 7919) " }.joined().prefix(299_999)))
        var (rest, output) = (text, ByteBuffer())
        var stream = try GzipStream()
        while let piece = rest.readSlice(length: min(size, rest.readableBytes)), piece.readableBytes > 0 {
            output.writeImmutableBuffer(try stream.compress(piece, isLast: rest.readableBytes == 0))
        }
        #expect(output.readableBytes < text.readableBytes)
        #expect(inflated(output) == text)
    }

    /// The objects of a class with one text in each, as a client with an `Accept-Encoding` gets them.
    private func query(
        _ texts: [String],
        accepting codings: String? = "gzip",
        compresses: Bool = true,
        _ check: @escaping @Sendable (TestResponse) throws -> Void
    ) async throws {
        try await TestServer(compresses: compresses).test { client in
            for text in texts {
                let response = try await client.send("POST", "/1.1/classes/Note", #"{"text":"\#(text)"}"#)
                #expect(response.status == .created)
            }
            var headers = Who.client.headers
            headers[.acceptEncoding] = codings
            let response = try await client.execute(uri: "/1.1/classes/Note", method: .get, headers: headers)
            #expect(response.status == .ok)
            try check(response)
        }
    }

    @Test("a long answer is compressed, with its length")
    func short() async throws {
        try await query([String(repeating: "word ", count: 1000)]) { response in
            #expect(response.headers[.contentEncoding] == "gzip")
            #expect(response.headers[.vary] == "Accept-Encoding")
            #expect(response.headers[.contentLength] == String(response.body.readableBytes))
            #expect(response.body.readableBytes < 1024)
            let json = String(buffer: inflated(response.body))
            #expect(json.hasPrefix(#"{"results":[{"#) && json.contains("word word"))
        }
    }

    @Test("an answer over 64 KB is compressed while it is sent, without a length")
    func long() async throws {
        try await query([String(repeating: "word ", count: 10_000), String(repeating: "other ", count: 10_000)]) {
            #expect($0.headers[.contentEncoding] == "gzip")
            #expect($0.headers[.contentLength] == nil)
            let json = String(buffer: inflated($0.body))
            #expect(json.hasPrefix(#"{"results":[{"#) && json.hasSuffix("}]}"))
            #expect(json.utf8.count > 110_000)
        }
    }

    @Test("other clients get the same answer as without compression", arguments: [nil, "identity", "br", "gzip;q=0"])
    func otherClients(codings: String?) async throws {
        try await query([String(repeating: "word ", count: 1000)], accepting: codings) { response in
            #expect(response.headers[.contentEncoding] == nil)
            #expect(response.headers[.vary] == "Accept-Encoding")
            #expect(response.text.hasPrefix(#"{"results":[{"#))
            #expect(response.headers[.contentLength] == String(response.body.readableBytes))
        }
    }

    @Test("a short answer is not compressed")
    func tooShort() async throws {
        try await query(["word"]) { response in
            #expect(response.headers[.contentEncoding] == nil)
            #expect(response.text.hasPrefix(#"{"results":[{"#))
        }
    }

    @Test("nothing is compressed if the setting is off")
    func off() async throws {
        try await query([String(repeating: "word ", count: 1000)], compresses: false) { response in
            #expect(response.headers[.contentEncoding] == nil)
            #expect(response.headers[.vary] == nil)
        }
    }

    @Test("answers with credentials are not compressed")
    func secrets() async throws {
        try await TestServer().test { client in
            let text = String(repeating: "word ", count: 1000)
            var headers = Who.client.headers
            headers[.acceptEncoding] = "gzip"
            let user = #"{"username":"ann","password":"secret","text":"\#(text)"}"#
            for path in ["/1.1/users?fetchWhenSave=true", "/1.1/login"] {
                let response = try await client.send("POST", path, user, headers)
                #expect(response.headers[.contentEncoding] == nil)
                #expect(response.text.contains(#""sessionToken""#) && response.text.contains("word"))
            }
            let batch = #"{"requests":[{"method":"POST","path":"/1.1/users?fetchWhenSave=true","body":"#
            let body = batch + user.replacing("ann", with: "bob") + "}]}"
            let response = try await client.send("POST", "/1.1/batch", body, headers)
            #expect(response.headers[.contentEncoding] == nil)
            #expect(response.text.contains(#""sessionToken""#))
        }
    }

    @Test("files are not compressed")
    func files() async throws {
        try await TestServer().test { client in
            let key = try await client.upload("a.json", String(repeating: " ", count: 5000))["key"]?.stringValue ?? ""
            let headers: HTTPFields = [.acceptEncoding: "gzip"]
            let response = try await client.execute(uri: "/\(key)", method: .get, headers: headers)
            #expect(response.headers[.contentEncoding] == nil)
            #expect(response.body.readableBytes == 5000)
        }
    }
}

/// The bytes of a whole gzip stream; empty if it is damaged or followed by other bytes.
private func inflated(_ bytes: ByteBuffer) -> ByteBuffer {
    var stream = z_stream()
    guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
        return ByteBuffer()
    }
    defer { inflateEnd(&stream) }
    var input = Array(buffer: bytes)
    var output = ByteBuffer()
    var status = Z_OK
    let count = input.count
    input.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(count)
        while status == Z_OK {
            output.writeWithUnsafeMutableBytes(minimumWritableBytes: 1 << 16) { free in
                stream.next_out = free.baseAddress?.assumingMemoryBound(to: Bytef.self)
                stream.avail_out = UInt32(free.count)
                status = inflate(&stream, Z_NO_FLUSH)
                return free.count - Int(stream.avail_out)
            }
        }
    }
    return status == Z_STREAM_END && stream.avail_in == 0 ? output : ByteBuffer()
}
