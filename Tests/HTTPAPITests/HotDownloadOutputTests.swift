import Domain
import Hummingbird
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// Whether the bytes of a hot download come from memory or from its file.
@Suite struct HotDownloadOutputTests {
    static let size = HotDownload.shortestFile

    /// A download whose bytes tell where they come from; the file has as many as the memory unless `fileSize` says
    /// otherwise.
    static func download(size: Int = size, fileSize: Int? = nil, hasFile: Bool = true) throws -> HotDownload {
        let blob = OpenFile(size: Int64(size), file: try openFile(String(repeating: "f", count: fileSize ?? size)))
        return HotDownload(
            Response(status: .ok),
            path: "/a",
            tag: EntityTag(quoted: "\"a\""),
            body: .memory(ByteBuffer(repeating: UInt8(ascii: "m"), count: size), hasFile ? BlobFile(blob) : nil),
            size: Int64(size)
        )
    }

    /// The first letters of two bodies, between which other connections got this many bytes.
    private func letters(between other: Int, of download: HotDownload, isEncrypted: Bool = false) async throws -> String
    {
        let pair = try await SocketPair()
        let downloads = HotDownloads(limits: HotDownloadLimits(), feeds: [])
        let output = try await pair.withOutput(isEncrypted: isEncrypted) { output, context in
            let output = HotDownloadOutput(downloads, .kernel, output, context)
            return NIOLoopBound(output, eventLoop: context.eventLoop)
        }
        var letters = ""
        for _ in 0..<2 {
            let sent = try await pair.channel.eventLoop.submit {
                output.value.send(ByteBuffer(string: "h"), download)
            }.get()
            letters += pair.receive(1 + Int(download.size)).dropFirst().prefix(1)
            try await sent?.get()
            _ = downloads.countSent(other)
        }
        return letters
    }

    @Test("a body comes from memory while copies of bodies stay in the cache, and from its file when they do not")
    func cache() async throws {
        #expect(try await letters(between: 0, of: Self.download()) == "mm")
        #expect(try await letters(between: 7 << 20, of: Self.download()) == "mm")
        #expect(try await letters(between: 9 << 20, of: Self.download()) == "mf")
    }

    @Test("bytes that the file does not have, or that the socket does not accept at once, come from memory")
    func rest() async throws {
        let sizes = [(Self.size, Self.size / 2), (Self.size, 0), (16 * Self.size, 16 * Self.size)]
        for (size, fileSize) in sizes {
            let pair = try await SocketPair()
            let downloads = HotDownloads(limits: HotDownloadLimits(), feeds: [])
            let output = try await pair.withOutput { output, context in
                NIOLoopBound(HotDownloadOutput(downloads, .kernel, output, context), eventLoop: context.eventLoop)
            }
            let download = try Self.download(size: size, fileSize: fileSize)
            var body = ""
            for _ in 0..<2 {
                let sent = try await pair.channel.eventLoop.submit {
                    output.value.send(ByteBuffer(string: "h"), download)
                }.get()
                body = String(pair.receive(1 + size).dropFirst()).lowercased()
                try await sent?.get()
                _ = downloads.countSent(9 << 20)
            }
            let fromFile = body.prefix { $0 == "f" }.count
            #expect(body.count == size && body.dropFirst(fromFile).allSatisfy { $0 == "m" })
            #expect(fileSize < size ? fromFile == fileSize : fromFile > 0 && fromFile < size, "\(size), \(fileSize)")
        }
    }

    @Test("a body without a file, a short one, and one that is encrypted come from memory")
    func memory() async throws {
        let other = 100 << 20
        #expect(try await letters(between: other, of: Self.download(hasFile: false)) == "mm")
        #expect(try await letters(between: other, of: Self.download(size: Self.size - 1)) == "mm")
        #expect(try await letters(between: other, of: Self.download(), isEncrypted: true) == "MM")
    }
}

/// A file that is open.
private struct OpenFile: OpenBlob {
    let size: Int64
    let file: LocalFile
    var local: LocalBytes? { .file(file) }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer { ByteBuffer() }
}
