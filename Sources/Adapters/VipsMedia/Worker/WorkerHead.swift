internal import Domain

/// The first part of a worker's response: the properties of the source for a header task, otherwise those of the
/// ``pixelBytes`` bytes of pixels that follow row by row.
///
/// Nine 32-bit little-endian numbers: a mark, format, width, height, channels, 1 with transparency, bits, EXIF's
/// orientation or 0, 1 with a colour profile.
struct WorkerHead: Equatable {
    var format: SourceFormat
    var size: ImageSize
    var bands: Int
    var hasAlpha: Bool
    /// The bits of one channel.
    var bits: Int
    /// EXIF's number, 1 to 8; `nil` without one, and for formats whose decoder turns the image.
    var orientation: Int?
    /// Whether a HEIC or AVIF has a colour profile of its colour model.
    var hasProfile = false

    /// The length in bytes.
    static let length = 36

    private static let mark: UInt32 = 0x6c63_6677
    private static let formats: [SourceFormat] = [.svg, .pdf, .jxl, .jp2, .heic, .tiff, .avif]

    init(format: SourceFormat, size: ImageSize, bands: Int, hasAlpha: Bool, bits: Int) {
        self.format = format
        self.size = size
        self.bands = bands
        self.hasAlpha = hasAlpha
        self.bits = bits
    }

    /// Parses the first bytes of a response; `nil` if they are malformed or contain values that no worker returns.
    init?(_ bytes: some Sequence<UInt8>) {
        var numbers = [UInt32](repeating: 0, count: WorkerHead.length / 4)
        var count = 0
        for byte in bytes.prefix(WorkerHead.length) {
            numbers[count / 4] |= UInt32(byte) << (count % 4 * 8)
            count += 1
        }
        guard count == WorkerHead.length, numbers[0] == WorkerHead.mark, numbers[1] < WorkerHead.formats.count,
            numbers[2...3].allSatisfy({ (1...1_000_000_000).contains($0) }), (1...64).contains(numbers[4]),
            numbers[5] <= 1, (1...64).contains(numbers[6]), numbers[7] <= 8, numbers[8] <= 1
        else { return nil }
        format = WorkerHead.formats[Int(numbers[1])]
        size = ImageSize(width: Int(numbers[2]), height: Int(numbers[3]))
        bands = Int(numbers[4])
        hasAlpha = numbers[5] == 1
        bits = Int(numbers[6])
        orientation = numbers[7] == 0 ? nil : Int(numbers[7])
        hasProfile = numbers[8] == 1
    }

    /// The encoded head.
    var bytes: [UInt8] {
        let format = WorkerHead.formats.firstIndex(of: format) ?? WorkerHead.formats.count
        let numbers = [
            Int(WorkerHead.mark), format, size.width, size.height, bands, hasAlpha ? 1 : 0, bits, orientation ?? 0,
            hasProfile ? 1 : 0,
        ]
        return numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    }

    /// The number of bytes of pixels that follow the head of a decoded image.
    var pixelBytes: Int { size.area * bands }
}

/// The exit status of a worker process.
enum WorkerExit: CInt {
    case answered = 0
    /// The arguments are not a task.
    case misused = 64
    /// No loader recognizes the bytes, or the image is damaged.
    case notAnImage = 65
    /// The source exceeds the limits of the task.
    case tooLarge = 66
    /// libvips does not start, or standard output is closed.
    case unable = 69
    /// The memory limit was nearly reached when decoding failed.
    case outOfMemory = 71
    /// The process could not be confined, and read nothing.
    case notConfined = 77
}
