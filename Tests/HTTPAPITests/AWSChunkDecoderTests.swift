import Domain
import NIOCore
import Testing

@testable import HTTPAPI

@Suite struct AWSChunkDecoderTests {
    /// Feeds the pieces and joins what comes out.
    private func decode(_ pieces: [[UInt8]]) throws -> [UInt8] {
        var decoder = AWSChunkDecoder()
        var content: [UInt8] = []
        for piece in pieces {
            decoder.append(ByteBuffer(bytes: piece))
            while let bytes = try decoder.next() { content += Array(bytes.readableBytesView) }
        }
        try decoder.finish()
        return content
    }

    private let trailers = "x-amz-checksum:AA==\r\n\r\n"
    private var body: [UInt8] {
        let chunks = "5;chunk-signature=abc\r\nhello\r\nC\r\n\r\n0\r\n world\r\r\n0;chunk-signature=def\r\n"
        return Array("\(chunks)\(trailers)".utf8)
    }

    @Test("the same bytes come out wherever the body is cut in two")
    func everyCut() throws {
        for cut in 0...body.count {
            let content = try decode([Array(body[..<cut]), Array(body[cut...])])
            #expect(String(decoding: content, as: UTF8.self) == "hello\r\n0\r\n world\r", "cut at \(cut)")
        }
    }

    @Test("the same bytes come out one by one")
    func singly() throws {
        let content = try decode(body.map { [$0] })
        #expect(String(decoding: content, as: UTF8.self) == "hello\r\n0\r\n world\r")
    }

    @Test("the wanted trailers are kept wherever the body is cut in two, and no others")
    func trailersKept() throws {
        let body = Array("1\r\na\r\n0\r\nother:x\r\nX-Amz-Checksum-CRC32: NhCmhg==\r\n\r\n".utf8)
        for cut in 0...body.count {
            var decoder = AWSChunkDecoder(trailers: ["x-amz-checksum-crc32"])
            for piece in [body[..<cut], body[cut...]] {
                decoder.append(ByteBuffer(bytes: piece))
                while try decoder.next() != nil {}
            }
            try decoder.finish()
            #expect(decoder.trailers == ["x-amz-checksum-crc32": "NhCmhg=="], "cut at \(cut)")
        }
    }

    @Test("a body cut short is refused wherever it ends before its last chunk")
    func everyEnd() {
        for end in 0..<body.count - trailers.utf8.count {
            #expect(throws: ServiceError.self, "end at \(end)") { try decode([Array(body[..<end])]) }
        }
    }

    @Test(
        "no bytes are one chunk of none",
        arguments: ["0\r\n\r\n", "0;chunk-signature=a\r\n\r\n", "0\r\na:b\r\nc:d\r\n\r\n"]
    )
    func empty(body: String) throws {
        let content = try decode([Array(body.utf8)])
        #expect(content.isEmpty)
    }

    @Test(
        "broken framing is refused with a sentence",
        arguments: [
            "", "x\r\n", "-5\r\nhello\r\n0\r\n\r\n", "\r\nhello", ";a=b\r\n", "5", "5\r\nhel", "5\r\nhello",
            "5\r\nhello\r\n",
            "5\r\nhelloX\r\n0\r\n\r\n", "5\r\nhello0\r\n\r\n", "4\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n",
            "fffffffffffffffff\r\n", String(repeating: "0", count: 5000), String(repeating: "0", count: 5000) + "\r\n",
        ]
    )
    func broken(body: String) {
        let error = #expect(throws: ServiceError.self) { try decode([Array(body.utf8)]) }
        #expect(error?.code == .badRequest)
        #expect(error?.message.hasPrefix("Broken aws-chunked body") == true)
    }

    @Test("random chunks come out as they went in, in pieces of any size", arguments: 0..<50)
    func random(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var content: [UInt8] = []
        var body: [UInt8] = []
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            let count = Int.random(in: 1...300, using: &generator)
            let chunk = (0..<count).map { _ in Array("\r\n0;a".utf8).randomElement(using: &generator) ?? 0 }
            let mark = Bool.random(using: &generator) ? ";chunk-signature=0a" : ""
            content += chunk
            body += Array("\(String(count, radix: 16))\(mark)\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
        body += Array("0\r\n\r\n".utf8)
        var pieces: [[UInt8]] = []
        while !body.isEmpty {
            let count = min(body.count, Int.random(in: 1...40, using: &generator))
            pieces.append(Array(body.prefix(count)))
            body.removeFirst(count)
        }
        #expect(try decode(pieces) == content)
    }
}
