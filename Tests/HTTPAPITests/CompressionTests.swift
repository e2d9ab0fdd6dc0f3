import CZlib
import CZstd
import Domain
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HTTPAPI

@Suite struct CompressionTests {
    @Test(
        "gzip is used if the client accepts it, and neither zstd nor no coding is preferred",
        arguments: [
            ("gzip", true), ("gzip, deflate, br", true), ("GZip", true), ("x-gzip", true), ("*", true),
            ("deflate, *;q=0.1", true), ("gzip;q=0.5", true), ("gzip ; Q=0.001", true), ("identity;q=0, gzip", true),
            ("identity, gzip", true), ("identity;q=0", false), ("*;q=0", false), ("gzip;q=0", false),
            ("gzip;q=0.000, *", false), ("", false), (nil, false), ("identity", false), ("br, deflate", false),
            ("gzip;q=0.5, identity", false), ("identity;q=0.8, *;q=0.5", false), ("gzipped", false),
            ("gzip;q=2", false), ("gzip;q=x", false), ("gzip;q=1e-1", false), ("gzip;q=-1", false), (",, gzip", true),
        ] as [(String?, Bool)]
    )
    func gzip(header: String?, isUsed: Bool) {
        #expect(AcceptedCodings(header).preferred == (isUsed ? .gzip : nil))
    }

    @Test(
        "zstd is used if the client weighs it at least as high as gzip and no coding",
        arguments: [
            ("zstd", .zstd), ("gzip, deflate, br, zstd", .zstd), ("gzip;q=0.5, zstd;q=0.5", .zstd), ("ZSTD", .zstd),
            ("zstd, *", .zstd), ("*;q=0, zstd", .zstd), ("zstd;q=0.9, gzip", .gzip), ("zstd;q=0, gzip", .gzip),
            ("zstd;q=0, *", .gzip), ("zstd;q=0.1, *;q=0.2", .gzip), ("zstd;q=0", nil), ("zstd;q=0.5, identity", nil),
            ("zstd, identity", .zstd), ("zstandard", nil), ("zstd;q=x", nil),
        ] as [(String, ContentCoding?)]
    )
    func zstd(header: String, coding: ContentCoding?) {
        #expect(AcceptedCodings(header).preferred == coding)
    }

    @Test("a stream is whole in any pieces", arguments: ContentCoding.allCases, [1, 1000, 65536, 300_000])
    func stream(coding: ContentCoding, size: Int) throws {
        switch coding {
        case .zstd: try requireWhole(ZstdStream(), pieces: size, decompressed)
        case .gzip: try requireWhole(GzipStream(), pieces: size, inflated)
        }
    }

    @Test("a long response of a request that began on an event loop is compressed on another thread")
    func thread() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        let head = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "a",
            path: "/",
            headerFields: [.acceptEncoding: "gzip"]
        )
        // Often, because a task that is resumed before it is suspended stays on its thread.
        for _ in 0..<100 {
            let task = try await eventLoop.submit {
                Task.immediate {
                    let begunOn = Mutex<[Bool]>([eventLoop.inEventLoop])
                    let length = DirectRequests.longestResponse + 1
                    let body = ResponseBody(contentLength: length) { writer in
                        begunOn.withLock { $0.append(eventLoop.inEventLoop) }
                        try await writer.write(ByteBuffer(repeating: 0x20, count: length))
                        try await writer.finish(nil)
                    }
                    let response = Response(status: .ok, headers: [.contentType: "application/json"], body: body)
                    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
                    let compressed = try await JSONCompression.compressed(response, to: request, on: eventLoop)
                    #expect(compressed.headers[.contentEncoding] == "gzip")
                    return begunOn.withLock { $0 }
                }
            }.get()
            #expect(try await task.value == [true, false])
        }
    }

    /// 299 999 bytes of text.
    private static let numbers: ByteBuffer = {
        let text = (0..<60_000).map { "\($0 &* 7919) " }.joined()
        return ByteBuffer(string: String(text.prefix(299_999)))
    }()

    private func requireWhole<Stream: CompressionStream & ~Copyable>(
        _ stream: consuming Stream,
        pieces size: Int,
        _ original: (ByteBuffer) -> ByteBuffer
    ) throws {
        let text = CompressionTests.numbers
        var (rest, output) = (text, ByteBuffer())
        while let piece = rest.readSlice(length: min(size, rest.readableBytes)), piece.readableBytes > 0 {
            output.writeImmutableBuffer(try stream.compress(piece, isLast: rest.readableBytes == 0))
        }
        #expect(output.readableBytes < text.readableBytes)
        #expect(original(output) == text)
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

    @Test("an answer over 64 KB is compressed while it is sent, without a length", arguments: ContentCoding.allCases)
    func long(coding: ContentCoding) async throws {
        let texts = [String(repeating: "word ", count: 10_000), String(repeating: "other ", count: 10_000)]
        try await query(texts, accepting: coding.rawValue) {
            #expect($0.headers[.contentEncoding] == coding.rawValue)
            #expect($0.headers[.contentLength] == nil)
            let json = String(buffer: coding == .zstd ? decompressed($0.body) : inflated($0.body))
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
            headers[.acceptEncoding] = "gzip, zstd"
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

/// The bytes of a whole frame of zstd; empty if it is damaged or followed by other bytes.
private func decompressed(_ bytes: ByteBuffer) -> ByteBuffer {
    var output = ByteBuffer()
    output.writeWithUnsafeMutableBytes(minimumWritableBytes: 1 << 20) { free in
        let size = bytes.withUnsafeReadableBytes {
            ZSTD_decompress(free.baseAddress, free.count, $0.baseAddress, $0.count)
        }
        return ZSTD_isError(size) == 0 ? size : 0
    }
    return output
}
