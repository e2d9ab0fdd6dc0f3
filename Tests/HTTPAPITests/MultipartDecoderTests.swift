import Domain
import NIOCore
import Testing

@testable import HTTPAPI

@Suite struct MultipartDecoderTests {
    /// Feeds the body in two pieces and joins what comes out.
    private func decode(_ body: String, cutAt cut: Int, boundary: String = "AaB03x") throws -> [String] {
        let bytes = Array(body.utf8)
        let boundary = try #require(MultipartBoundary(contentType: "multipart/form-data; boundary=\"\(boundary)\""))
        var decoder = MultipartDecoder(boundary: boundary)
        var parts: [String] = []
        for piece in [bytes[..<cut], bytes[cut...]] {
            decoder.append(ByteBuffer(bytes: piece))
            while let event = try decoder.next() {
                switch event {
                case .part(let headers): parts.append("\(headers.name)|\(headers.fileName ?? "-")|")
                case .bytes(let bytes): parts[parts.count - 1] += String(buffer: bytes)
                }
            }
        }
        try decoder.finish()
        return parts
    }

    private let body = [
        "a preamble\r\n--AaB03x  \r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue\r\n--AaB03",
        "\r\n--AaB03x\r\ncontent-disposition: form-data; filename=\"x \\\"y\\\" %22z%22.jpg\"; name=file\r\n",
        "Content-Type: image/jpeg\r\n\r\n\r\r\n\n--AaB03y\r\n-\r\n--AaB03x\r\nContent-Disposition: form-data; name=\"e\"",
        "\r\n\r\n\r\n--AaB03x--\r\nan epilogue",
    ].joined()

    @Test("the same parts come out wherever the body is cut in two")
    func everyCut() throws {
        let expected = ["a|-|value\r\n--AaB03", "file|x \"y\" \"z\".jpg|\r\r\n\n--AaB03y\r\n-", "e|-|"]
        for cut in 0...body.utf8.count {
            #expect(try decode(body, cutAt: cut) == expected, "cut at \(cut)")
        }
    }

    @Test("a body cut short is refused wherever it ends before the closing boundary")
    func everyEnd() throws {
        let bytes = Array(body.utf8)
        let closing = bytes.count - "\r\nan epilogue".utf8.count
        for end in 0..<closing {
            #expect(throws: ServiceError.self, "end at \(end)") {
                try decode(String(decoding: bytes[..<end], as: UTF8.self), cutAt: 0)
            }
        }
    }

    @Test(
        "broken bodies are refused with a sentence",
        arguments: [
            "--AaB03x\r\nno colon\r\n\r\nx\r\n--AaB03x--", "--AaB03x\r\nContent-Type: x\r\n\r\nx\r\n--AaB03x--",
            "--AaB03xjunk\r\n\r\n", "--AaB03x\r\nContent-Disposition: form-data\r\n\r\nx\r\n--AaB03x--", "", "junk",
            "--AaB03x\r\nX: " + String(repeating: "x", count: 20_000),
        ]
    )
    func broken(body: String) {
        let error = #expect(throws: ServiceError.self) { try decode(body, cutAt: 0) }
        #expect(error?.code == .badRequest)
        #expect(error?.message.hasPrefix("Broken multipart body") == true)
    }

    @Test(
        "the name of a file is read in each legal form of the header",
        arguments: [
            ("form-data; name=file; filename=\"\u{301}x.png\"", "\u{301}x.png"),
            ("form-data; name=file; filename=\"a\\\"\u{301}; x=y.png\"", "a\"\u{301}; x=y.png"),
            ("form-data; name=file;\r\n filename=\"a.png\"", "a.png"),
            ("form-data;\r\n\tname=file;\r\n\tfilename=a.png", "a.png"),
            ("form-data; name=file; filename=\"a\r\n b.png\"", "a b.png"),
        ]
    )
    func fileName(disposition: String, name: String) throws {
        let body = "--AaB03x\r\nContent-Disposition: \(disposition)\r\n\r\nx\r\n--AaB03x--"
        let parts = try decode(body, cutAt: 0)
        // By bytes: Swift treats other scalars of the same character as equal.
        #expect(parts.map { Array($0.utf8) } == [Array("file|\(name)|x".utf8)])
    }

    @Test("memory does not grow with the body")
    func flatMemory() throws {
        let boundary = try #require(MultipartBoundary(contentType: "multipart/form-data; boundary=B"))
        var decoder = MultipartDecoder(boundary: boundary)
        decoder.append(ByteBuffer(string: "--B\r\nContent-Disposition: form-data; name=file\r\n\r\n"))
        _ = try decoder.next()
        var received = 0
        for _ in 0..<1000 {
            decoder.append(ByteBuffer(repeating: 0x0d, count: 65_536))
            while case .bytes(let bytes)? = try decoder.next() { received += bytes.readableBytes }
            #expect(decoder.capacity <= 4 * 65_536)
        }
        #expect(received > 999 * 65_536)
    }

    @Test("random forms come out as they went in, in pieces of any size", arguments: 0..<50)
    func random(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let alphabet = ["\r", "\n", "-", "B", "x", "\r\n", "--B", "\r\n--", "\r\n--b"]
        let contents = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
            (0..<Int.random(in: 0...200, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? ""
            }.joined()
        }.map { $0.replacing("\r\n--B", with: "") }.filter { !"\r\n\($0)".contains("\r\n--B") }
        let body =
            contents.enumerated().map { "--B\r\nContent-Disposition: form-data; name=\"p\($0)\"\r\n\r\n\($1)\r\n" }
            .joined()
            + "--B--"
        let boundary = try #require(MultipartBoundary(contentType: "multipart/form-data; boundary=B"))
        var decoder = MultipartDecoder(boundary: boundary)
        var rest = Array(body.utf8)[...]
        var parts: [String] = []
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 1...40, using: &generator))
            decoder.append(ByteBuffer(bytes: rest.prefix(count)))
            rest = rest.dropFirst(count)
            while let event = try decoder.next() {
                switch event {
                case .part: parts.append("")
                case .bytes(let bytes): parts[parts.count - 1] += String(buffer: bytes)
                }
            }
        }
        try decoder.finish()
        #expect(parts == contents)
    }
}

/// The same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
