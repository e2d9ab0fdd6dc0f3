internal import FoundationEssentials
internal import S3

/// Opens the frames of a range as their bytes arrive; used by one thread.
final class FrameReader {
    /// The bytes of the object that have to arrive, in order.
    let sealedRange: Range<Int64>
    /// Why a frame could not be opened.
    private(set) var failure: SealError?
    private let runs: SealedRuns
    private let range: Range<Int64>
    private let take: (UnsafeRawBufferPointer) throws(S3Error) -> Void
    private var place: SealedRuns.Place?
    private var cipher: (run: Int, cipher: FrameCipher)?
    /// The first bytes of the next frame.
    private var buffer: [UInt8] = []

    /// - Parameters:
    ///   - range: Bytes of the plaintext, which exist.
    ///   - runs: The runs of the object.
    ///   - take: Receives the plaintext in order, valid during the call only.
    init(
        _ range: Range<Int64>,
        of runs: SealedRuns,
        _ take: @escaping (UnsafeRawBufferPointer) throws(S3Error) -> Void
    ) {
        self.range = range
        self.runs = runs
        self.take = take
        sealedRange = runs.sealed(range)
        place = range.isEmpty ? nil : runs.place(of: range.lowerBound)
    }

    /// Takes the next bytes of ``sealedRange``.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(S3Error) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let place else { throw S3Error(.damaged, "more bytes arrived than frames have") }
            let count = runs.sealed(place).count
            if buffer.isEmpty, rest.count >= count {
                try open(UnsafeRawBufferPointer(rebasing: rest.prefix(count)), place)
                rest = rest.dropFirst(count)
                continue
            }
            let more = rest.prefix(count - buffer.count)
            buffer += more
            rest = rest.dropFirst(more.count)
            guard buffer.count == count else { continue }
            try FrameReader.withBytes(of: buffer) { bytes throws(S3Error) in try open(bytes, place) }
            buffer.removeAll(keepingCapacity: true)
        }
    }

    private func open(_ bytes: UnsafeRawBufferPointer, _ place: SealedRuns.Place) throws(S3Error) {
        let run = runs.runs[place.run]
        if cipher?.run != place.run { cipher = (place.run, FrameCipher(run.key)) }
        let plain: Data
        do throws(SealError) {
            guard let cipher else { throw .forged }
            plain = try cipher.cipher.open(bytes, as: run.first + place.frame)
        } catch {
            failure = error
            throw S3Error(.damaged, "bytes of the S3 store cannot be decrypted: \(error)")
        }
        let all = runs.plain(place)
        let wanted = all.clamped(to: range)
        let part = Int(wanted.lowerBound - all.lowerBound)..<Int(wanted.upperBound - all.lowerBound)
        var thrown: S3Error?
        plain.withUnsafeBytes { plain in
            do throws(S3Error) {
                try take(UnsafeRawBufferPointer(rebasing: plain[part]))
            } catch {
                thrown = error
            }
        }
        if let thrown { throw thrown }
        self.place = runs.next(place)
    }

    private static func withBytes(
        of array: [UInt8],
        _ body: (UnsafeRawBufferPointer) throws(S3Error) -> Void
    ) throws(S3Error) {
        var thrown: S3Error?
        array.withUnsafeBytes { bytes in
            do throws(S3Error) { try body(bytes) } catch { thrown = error }
        }
        if let thrown { throw thrown }
    }
}
