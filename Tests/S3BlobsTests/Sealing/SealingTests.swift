import Crypto
import Domain
import S3
import Support
import Testing

@testable import S3Blobs

extension WrappingKey {
    /// The key of a number.
    static func test(_ number: UInt8) throws -> WrappingKey {
        try #require(WrappingKey([UInt8](repeating: number, count: WrappingKey.size)))
    }
}

extension BlobEncryption {
    /// One key.
    static var test: BlobEncryption? { try? keys([1]) }

    /// Keys, the first of which seals.
    static func keys(_ numbers: [UInt8], readsUnencrypted: Bool = false) throws -> BlobEncryption {
        BlobEncryption(keys: try numbers.map { try .test($0) }, readsUnencrypted: readsUnencrypted)
    }
}

@Suite("Sealed bytes")
struct SealingTests {
    /// Bytes that repeat in no period of a frame.
    static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ $0 >> 16) }
    }

    /// Opens a range of an object as its bytes arrive in pieces.
    private static func open(
        _ range: Range<Int64>,
        of object: [UInt8],
        _ runs: SealedRuns,
        piece: Int
    ) throws -> [UInt8] {
        var found: [UInt8] = []
        let reader = FrameReader(range, of: runs) { bytes throws(S3Error) in found += bytes }
        let sealed = Array(object[Int(reader.sealedRange.lowerBound)..<Int(reader.sealedRange.upperBound)])
        for start in stride(from: 0, to: sealed.count, by: piece) {
            let part = Array(sealed[start..<min(sealed.count, start + piece)])
            do {
                try part.withUnsafeBytes { try reader.receive($0) }
            } catch {
                throw reader.failure ?? error
            }
        }
        return found
    }

    @Test("any range of sealed bytes is that of the plaintext", arguments: [1, 65_535, 65_536, 65_537, 5 << 20])
    func ranges(size: Int) throws {
        let plain = SealingTests.bytes(size)
        let key = FrameKey()
        let object = try plain.withUnsafeBytes { try FrameCipher(key).seal(all: $0) }
        #expect(Int64(object.count) == Frame.sealed(Int64(size)))
        let runs = SealedRuns([SealedRun(size: Int64(size), first: 0, key: key)])
        #expect(runs.sealedSize == Int64(object.count) && runs.size == Int64(size))
        var random = SeededGenerator(seed: UInt64(size))
        var ranges = [0..<size, 0..<1, size - 1..<size]
        for _ in 0..<8 {
            let start = Int.random(in: 0..<size, using: &random)
            ranges.append(start..<Int.random(in: start + 1...size, using: &random))
        }
        for range in ranges {
            for piece in [100, 65_552, 1 << 20] where piece > 100 || range.count < 100_000 {
                let wanted = Int64(range.lowerBound)..<Int64(range.upperBound)
                let found = try SealingTests.open(wanted, of: object, runs, piece: piece)
                #expect(found == Array(plain[range]), "\(range) in pieces of \(piece)")
            }
        }
    }

    @Test("ranges cross the runs of several segments, which begin in the middle of their segments")
    func runs() throws {
        var object: [UInt8] = []
        var plain: [UInt8] = []
        var runs: [SealedRun] = []
        for (index, size) in [1, 65_536, 70_000, 200_000, 3].enumerated() {
            let key = FrameKey()
            let bytes = SealingTests.bytes(size + index)[index...]
            let first = Int64(index * 7)
            object += try Array(bytes).withUnsafeBytes { try FrameCipher(key).seal(all: $0, from: first) }
            plain += bytes
            runs.append(SealedRun(size: Int64(size), first: first, key: key))
        }
        let layout = SealedRuns(runs)
        #expect(layout.size == Int64(plain.count) && layout.sealedSize == Int64(object.count))
        var random = SeededGenerator(seed: 7)
        for _ in 0..<100 {
            let start = Int.random(in: 0..<plain.count, using: &random)
            let end = Int.random(in: start + 1...min(plain.count, start + 80_000), using: &random)
            let found = try SealingTests.open(Int64(start)..<Int64(end), of: object, layout, piece: 10_000)
            #expect(found == Array(plain[start..<end]))
        }
    }

    /// What a store can do to frames.
    enum Attack: String, CaseIterable {
        case changedByte, changedTag, swappedFrames, otherSegment, shortened, otherPlace
    }

    @Test("frames that were changed or moved do not open", arguments: Attack.allCases)
    func attacks(attack: Attack) throws {
        let plain = SealingTests.bytes(3 * 65_536)
        let keys = [FrameKey(), FrameKey()]
        let sealed = try keys.map { key in try plain.withUnsafeBytes { try FrameCipher(key).seal(all: $0) } }
        var object = sealed[0]
        let frame = Int(Frame.sealedSize)
        var size = Int64(plain.count)
        var first: Int64 = 0
        switch attack {
        case .changedByte: object[frame + 5] ^= 1
        case .changedTag: object[2 * frame - 1] ^= 1
        case .swappedFrames: object = Array(object[frame..<2 * frame] + object[..<frame] + object[(2 * frame)...])
        case .otherSegment: object.replaceSubrange(frame..<2 * frame, with: sealed[1][frame..<2 * frame])
        case .shortened:
            object.removeLast(100)
            size -= 100
        case .otherPlace: first = 1
        }
        let runs = SealedRuns([SealedRun(size: size, first: first, key: keys[0])])
        #expect(throws: SealError.forged) { try SealingTests.open(0..<size, of: object, runs, piece: 50_000) }
    }

    private static func trailer(_ runs: [SealedRun], app: String = "app") throws -> SealedTrailer {
        SealedTrailer(
            app: app,
            file: try #require(ObjectID("5a1b2c3d4e5f6a7b8c9d0e1f")),
            size: runs.reduce(0) { $0 + $1.size },
            digest: .contentHash("FhGxwq8dYYyeBVLgVRd0VPCxTQiA"),
            runs: runs
        )
    }

    @Test("a trailer says all, and has a size that is known up to the number of runs", arguments: [0, 1, 2, 640])
    func trailers(count: Int) throws {
        let encryption = try BlobEncryption.keys([1])
        let runs = (0..<count).map { SealedRun(size: 65_530 + Int64($0), first: Int64($0), key: FrameKey()) }
        let trailer = try SealingTests.trailer(runs)
        let bytes = try trailer.sealed(with: encryption)
        let size = try #require(SealedTrailer.envelopeSize(bytes.suffix(16)))
        #expect(size + 16 == bytes.count)
        let envelope = Array(bytes.prefix(Int(size)))
        #expect(try SealedTrailer.open(envelope, with: encryption) == trailer)
        let objectSize = SealedRuns(runs).sealedSize + Int64(bytes.count)
        #expect(trailer.canHave(objectSize: objectSize))
        if count < 2 {
            for other in [-20, -1, 1, 20] { #expect(!trailer.canHave(objectSize: objectSize + Int64(other))) }
        }
        #expect(!trailer.canHave(objectSize: 0))
        #expect(!bytes.contains("app".utf8) && !bytes.contains("FhGxwq8dYY".utf8))
    }

    @Test("a trailer that was cut or changed, or of another key, does not open")
    func forgedTrailers() throws {
        let encryption = try BlobEncryption.keys([1])
        let bytes = try SealingTests.trailer([SealedRun(size: 5, first: 0, key: FrameKey())]).sealed(with: encryption)
        let envelope = Array(bytes.dropLast(16))
        #expect(SealedTrailer.envelopeSize(bytes.dropLast().suffix(16)) == nil)
        #expect(SealedTrailer.envelopeSize(bytes.suffix(15)) == nil)
        for index in [0, 7, 8, 23, 24, 60, envelope.count - 1] {
            var other = envelope
            other[index] ^= 1
            #expect(throws: SealError.self, "byte \(index)") { try SealedTrailer.open(other, with: encryption) }
        }
        for count in [0, 1, 39, 40, envelope.count - 1] {
            #expect(throws: SealError.forged) {
                try SealedTrailer.open(Array(envelope.prefix(count)), with: encryption)
            }
        }
        let id = encryption.keys[0].id
        #expect(throws: SealError.unknownKey(id)) { try SealedTrailer.open(envelope, with: .keys([2])) }
        // A key that is not the first any more still opens.
        #expect(try SealedTrailer.open(envelope, with: .keys([2, 1])).size == 5)
        #expect(throws: SealError.forged) {
            try Envelope.open(envelope, with: encryption.keys, for: "lcfile segment 1")
        }
    }

    @Test("two envelopes of the same bytes have nothing in common but the key's id")
    func envelopes() throws {
        let encryption = try BlobEncryption.keys([3])
        let both = try (0..<2).map { _ in try Envelope.seal([1, 2, 3], with: encryption.keys, for: "x") }
        #expect(both[0].prefix(8) == both[1].prefix(8) && both[0].dropFirst(8) != both[1].dropFirst(8))
        #expect(try Envelope.open(both[1], with: encryption.keys, for: "x") == [1, 2, 3])
        #expect(both[0].count == 3 + Envelope.overhead)
    }

    @Test("a key is Base64 of 32 bytes", arguments: ["", "x", "AAAA", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg=="])
    func malformedKeys(text: String) {
        #expect(WrappingKey(base64: text) == nil)
    }

    @Test("the id of a key stays the same in all versions")
    func keyIDs() throws {
        let key = try #require(WrappingKey(base64: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="))
        let bytes = Array("lcfile wrapping key 1".utf8) + (0..<32).map { UInt8($0) }
        #expect(key.id == Array(SHA256.hash(data: bytes).prefix(8)).hexadecimal)
        #expect(BlobKeys(keys: []) == nil)
    }

    private func keys(_ numbers: UInt8...) throws -> BlobKeys {
        try #require(BlobKeys(keys: try numbers.map { try .test($0) }))
    }

    @Test("the key of an app stays the same when those of the settings are rotated")
    func rotation() throws {
        let first = try keys(1).key(of: "app", []).id
        #expect(try keys(1).key(of: "other", []).id != first && keys(2).key(of: "app", []).id != first)
        var wrapped = try keys(1).renewed([], of: "app")
        #expect(wrapped.count == 1)
        // A new key in front; servers that have both in any order leave what is there.
        wrapped = try keys(2, 1).renewed(wrapped, of: "app")
        let ids = try [2, 1].map { try WrappingKey.test($0).id }
        #expect(wrapped.map(\.id) == ids)
        for all in [try keys(2, 1), try keys(1, 2)] { #expect(try all.renewed(wrapped, of: "app") == wrapped) }
        // A server that has not heard of the new key removes nothing of it.
        #expect(try keys(1).renewed(wrapped, of: "app") == wrapped)
        for all in [try keys(1), try keys(2), try keys(1, 2), try keys(3, 1)] {
            #expect(try all.key(of: "app", wrapped).id == first)
        }
        // Without the old key, what it could open goes.
        wrapped = try keys(2).renewed(wrapped, of: "app")
        #expect(wrapped.map(\.id) == [ids[0]])
        #expect(try keys(2).key(of: "app", wrapped).id == first)
        #expect(throws: SealError.unknownKey(ids[0])) { try keys(1).key(of: "app", wrapped) }
        #expect(throws: SealError.unknownKey(ids[0])) { try keys(3, 1).renewed(wrapped, of: "app") }
        // The key of one app in the place of another one's.
        #expect(throws: SealError.forged) { try keys(2).key(of: "other", wrapped) }
    }

    @Test("while one of two envelopes opens, a damaged one stops no start, and is sealed anew", arguments: [0, 1])
    func damagedEnvelope(index: Int) throws {
        let whole = try keys(2, 1).renewed(try keys(1).renewed([], of: "app"), of: "app")
        let id = try keys(1).key(of: "app", whole).id
        var damaged = whole
        var envelope = whole[index].envelope
        envelope[envelope.count - 1] ^= 1
        damaged[index] = BlobKeys.Wrapped(id: whole[index].id, envelope: envelope)
        for all in [try keys(2, 1), try keys(1, 2)] { #expect(try all.key(of: "app", damaged).id == id) }
        // Its own key alone opens nothing, and the message says so.
        let (own, other): (UInt8, UInt8) = index == 0 ? (2, 1) : (1, 2)
        #expect(throws: SealError.forged) { try keys(own).key(of: "app", damaged) }
        #expect(throws: SealError.forged) { try keys(own).renewed(damaged, of: "app") }
        let renewed = try keys(own, other).renewed(damaged, of: "app")
        #expect(renewed.map(\.id) == whole.map(\.id))
        #expect(try keys(own).key(of: "app", renewed).id == id)
    }
}
