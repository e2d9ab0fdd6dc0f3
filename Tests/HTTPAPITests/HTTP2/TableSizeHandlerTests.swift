import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPAPI

/// The identifiers of settings.
private let tableSize: UInt16 = 1
private let windowSize: UInt16 = 4

@Suite struct TableSizeHandlerTests {
    private static let preface = [UInt8]("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private func frame(_ type: UInt8, flags: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xff), type, flags, 0, 0, 0, 0] + payload
    }

    private func setting(_ identifier: UInt16, _ value: UInt32) -> [UInt8] {
        var bytes = ByteBuffer()
        bytes.writeInteger(identifier)
        bytes.writeInteger(value)
        return [UInt8](bytes.readableBytesView)
    }

    /// A `SETTINGS` frame.
    private func settings(_ settings: [(UInt16, UInt32)]) -> [UInt8] {
        frame(4, settings.flatMap { setting($0, $1) })
    }

    /// What a new handler passes on of bytes that it receives in these buffers.
    private func passed(_ buffers: [[UInt8]]) throws -> [UInt8] {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(TableSizeHandler())
        for bytes in buffers { try channel.writeInbound(ByteBuffer(bytes: bytes)) }
        var bytes: [UInt8] = []
        while let buffer = try channel.readInbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
        return bytes
    }

    /// What the handler passes on of frames after the preface.
    private func passed(frames: [UInt8]) throws -> [UInt8] {
        let preface = TableSizeHandlerTests.preface
        let bytes = try passed([preface, frames])
        #expect([UInt8](bytes.prefix(preface.count)) == preface)
        return [UInt8](bytes.dropFirst(preface.count))
    }

    @Test(
        "a table of more than 4096 bytes becomes one of 4096, and a smaller one stays",
        arguments: [
            0, 1, 255, 256, 4095, 4096, 4097, 0x10ff, 0x1100, 0x2000, 0xffff, 0x1_0000, 0x1_0001, 0xff_0fff, 0x100_0000,
            0x7fff_ffff, 0x8000_0000, 0xffff_ffff,
        ] as [UInt32]
    )
    func limit(size: UInt32) throws {
        #expect(try passed(frames: settings([(tableSize, size)])) == settings([(tableSize, min(size, 4096))]))
    }

    @Test("other settings stay", arguments: [0, 2, 3, 4, 5, 6, 8, 0x0100, 0x0101, 0xffff] as [UInt16])
    func others(identifier: UInt16) throws {
        let frames = settings([(identifier, .max)])
        #expect(try passed(frames: frames) == frames)
    }

    /// Bytes with tables of these sizes among other settings and frames.
    private func conversation(_ first: UInt32, _ second: UInt32, _ third: UInt32) -> [UInt8] {
        let parts: [[UInt8]] = [
            TableSizeHandlerTests.preface,
            settings([(windowSize, .max), (tableSize, first), (tableSize, second), (3, 100)]),
            frame(4, flags: 1),
            frame(6, [0, 1, 0xff, 0xff, 0xff, 0xff, 0, 0]),
            settings([(tableSize, third)]),
            frame(0, setting(tableSize, .max)),
        ]
        return parts.flatMap { $0 }
    }

    @Test("settings are found wherever one buffer ends and the next one begins")
    func split() throws {
        let sent = conversation(.max, 100, 0x1001)
        let expected = conversation(4096, 100, 4096)
        for position in 0...sent.count {
            let buffers = [[UInt8](sent[..<position]), [UInt8](sent[position...])]
            #expect(try passed(buffers) == expected, "split at \(position)")
        }
    }

    @Test("settings are found in buffers of any size", arguments: 1...40)
    func pieces(size: Int) throws {
        let sent = conversation(.max, 100, 0x1001)
        let buffers = stride(from: 0, to: sent.count, by: size).map { start in
            [UInt8](sent[start..<min(start + size, sent.count)])
        }
        #expect(try passed(buffers) == conversation(4096, 100, 4096))
    }

    @Test("frames of other types stay", arguments: [0, 1, 2, 3, 5, 6, 7, 8, 9, 16, 0xff] as [UInt8])
    func types(type: UInt8) throws {
        let frames = frame(type, setting(tableSize, .max))
        #expect(try passed(frames: frames) == frames)
    }

    @Test("a body that looks like a SETTINGS frame stays")
    func body() throws {
        let frames = frame(0, settings([(tableSize, .max)]))
        #expect(try passed(frames: frames) == frames)
    }

    @Test("each frame begins with a new setting, also after a malformed one", arguments: 1...5)
    func malformed(length: Int) throws {
        let malformed = frame(4, [UInt8](setting(tableSize, 0).prefix(length)))
        let sent = settings([(windowSize, .max), (tableSize, .max)])
        let expected = settings([(windowSize, .max), (tableSize, 4096)])
        #expect(try passed(frames: malformed + sent) == malformed + expected)
    }
}
