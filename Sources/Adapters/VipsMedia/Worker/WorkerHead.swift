internal import Domain

/// What a worker process answers first: of the source if its header was asked for, else of the pixels that follow it,
/// row by row, ``pixelBytes`` in all.
///
/// Seven numbers of 32 bits, little-endian: a mark, format, width, height, channels, 1 with transparency, bits.
struct WorkerHead: Equatable {
    var format: SourceFormat
    var size: ImageSize
    var bands: Int
    var hasAlpha: Bool
    /// Of one channel.
    var bits: Int

    /// In bytes.
    static let length = 28

    private static let mark: UInt32 = 0x6c63_6677
    private static let formats: [SourceFormat] = [.svg, .pdf, .jxl, .jp2, .heic, .tiff]

    init(format: SourceFormat, size: ImageSize, bands: Int, hasAlpha: Bool, bits: Int) {
        self.format = format
        self.size = size
        self.bands = bands
        self.hasAlpha = hasAlpha
        self.bits = bits
    }

    /// Reads it from the first bytes of an answer; `nil` if they are none, or say what no worker says.
    init?(_ bytes: some Sequence<UInt8>) {
        var numbers = [UInt32](repeating: 0, count: 7)
        var count = 0
        for byte in bytes.prefix(WorkerHead.length) {
            numbers[count / 4] |= UInt32(byte) << (count % 4 * 8)
            count += 1
        }
        guard count == WorkerHead.length, numbers[0] == WorkerHead.mark, numbers[1] < WorkerHead.formats.count,
            numbers[2...3].allSatisfy({ (1...1_000_000_000).contains($0) }), (1...64).contains(numbers[4]),
            numbers[5] <= 1, (1...64).contains(numbers[6])
        else { return nil }
        format = WorkerHead.formats[Int(numbers[1])]
        size = ImageSize(width: Int(numbers[2]), height: Int(numbers[3]))
        bands = Int(numbers[4])
        hasAlpha = numbers[5] == 1
        bits = Int(numbers[6])
    }

    /// As it is written.
    var bytes: [UInt8] {
        let format = WorkerHead.formats.firstIndex(of: format) ?? WorkerHead.formats.count
        let numbers = [Int(WorkerHead.mark), format, size.width, size.height, bands, hasAlpha ? 1 : 0, bits]
        return numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    }

    /// How many bytes of pixels follow a drawn image's head.
    var pixelBytes: Int { size.area * bands }
}

/// How a worker process ends, as its exit status.
enum WorkerExit: CInt {
    case answered = 0
    /// Words that are no task.
    case misused = 64
    /// Bytes that none of the loaders knows, or broken ones.
    case notAnImage = 65
    /// A source beyond the limits of the task.
    case tooLarge = 66
    /// libvips does not start, or standard output is closed.
    case unable = 69
    /// Memory was nearly used up when decoding failed.
    case outOfMemory = 71
    /// It could not be confined, and so read nothing.
    case notConfined = 77
}
