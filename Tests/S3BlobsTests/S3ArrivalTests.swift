import Domain
import FoundationEssentials
import Glibc
import NIOCore
import NIOPosix
import S3
import Support
import Testing

@testable import S3Blobs

/// What readers of a blob get while its bytes arrive in the cache; the tests play the fetch.
@Suite("Blobs that arrive")
struct S3ArrivalTests {
    private static let pieceSize = Int(S3CachedBlob.pieceSize)
    private static let bytes = S3Fixture.pattern(4 * pieceSize)

    /// Runs a body with a blob of which nothing has arrived, and with a file that has its bytes.
    private func withBlob(
        _ body: (_ blob: S3CachedBlob, _ arrival: S3Arrival, _ file: LocalFile) async throws -> Void
    ) async throws {
        try await Samples.withFolder { folder in
            let stored = S3StoredBlob(
                plain: S3Object(key: "key", size: Int64(Self.bytes.readableBytes), tag: "tag")
            )
            let threads = S3Threads(pool: .singleton)
            let remote = S3LargeBlob(
                stored,
                client: try S3Fixture.client(at: "http://127.0.0.1:1") { $0.attempts = 1 },
                cache: try S3FileCache(folder: "\(folder)/cache", bound: 1),
                threads: threads,
                settings: S3BlobSettings()
            )
            let arrival = S3Arrival()
            try Data(Self.bytes.readableBytesView).write(to: URL(filePath: "\(folder)/file"))
            let descriptor = open("\(folder)/file", O_RDONLY)
            try #require(descriptor >= 0)
            try await body(
                S3CachedBlob(arrival, of: stored, or: remote, threads: threads),
                arrival,
                LocalFile(owning: descriptor)
            )
        }
    }

    private static func piece(_ number: Int) -> ByteBuffer? {
        bytes.getSlice(at: number * pieceSize, length: pieceSize)
    }

    @Test("all pieces but the last come before the bytes were compared", arguments: [0, 1000] as [Int64])
    func following(start: Int64) async throws {
        try await withBlob { blob, arrival, file async throws in
            let reader = blob.pieces(of: start..<blob.size).makeAsyncIterator()
            arrival.begin(in: file)
            arrival.reach(blob.size)
            var read = ByteBuffer()
            for _ in 0..<3 { read.writeImmutableBuffer(try #require(try await reader.next())) }
            #expect(blob.local == nil)
            arrival.end(.success(file))
            while let piece = try await reader.next() { read.writeImmutableBuffer(piece) }
            #expect(read == Self.bytes.getSlice(at: Int(start), length: Int(blob.size - start)))
            guard case .file = blob.local else { return #expect(Bool(false), "no local file") }
        }
    }

    @Test("a reader waits for the bytes of its next piece")
    func waiting() async throws {
        try await withBlob { blob, arrival, file async throws in
            let reader = blob.pieces(of: 0..<blob.size).makeAsyncIterator()
            async let first = reader.next()
            arrival.begin(in: file)
            arrival.reach(1)
            arrival.reach(Int64(Self.pieceSize))
            #expect(try await first == Self.piece(0))
        }
    }

    @Test("a reader with bytes of one attempt gets none of the next; a reader without bytes reads the next attempt")
    func attempts() async throws {
        try await withBlob { blob, arrival, file async throws in
            let early = blob.pieces(of: 0..<blob.size).makeAsyncIterator()
            let late = blob.pieces(of: 0..<blob.size).makeAsyncIterator()
            arrival.begin(in: file)
            arrival.reach(blob.size)
            #expect(try await early.next() == Self.piece(0))
            arrival.begin(in: file)
            arrival.reach(blob.size)
            await expectFailure(.internalFailure) { try await early.next() }
            #expect(try await late.next() == Self.piece(0))
            arrival.end(.success(file))
            for number in 1..<4 { #expect(try await late.next() == Self.piece(number)) }
            #expect(try await late.next() == nil)
        }
    }

    @Test(
        "a fetch that fails is an error for every reader, and never the end of the bytes",
        arguments: [
            (ServiceError(.unavailable, "The storage cannot be reached."), .unavailable),
            (MissingObject(), .internalFailure),
        ] as [(any Error, ServiceError.Code)]
    )
    func failure(error: any Error, code: ServiceError.Code) async throws {
        try await withBlob { blob, arrival, file async throws in
            let reader = blob.pieces(of: 0..<blob.size).makeAsyncIterator()
            arrival.begin(in: file)
            arrival.reach(blob.size)
            #expect(try await reader.next() == Self.piece(0))
            #expect(!blob.isDamaged)
            arrival.end(.failure(error))
            await expectFailure(code) { try await reader.next() }
            await expectFailure(code) { try await blob.read(at: 0, count: 1) }
            #expect(blob.isDamaged, "a cache of open blobs must open it again")
        }
    }
}
