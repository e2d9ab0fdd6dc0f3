import Domain
import FoundationEssentials
import Glibc
import NIOCore
import Testing

@testable import VipsMedia

/// An image of 16x8 in one of the worker's formats, its left half red and its right half blue.
struct WorkerSample: Sendable, CustomTestStringConvertible {
    let format: SourceFormat
    let bytes: ByteBuffer
    var isTransparent = false

    var testDescription: String { format.rawValue }
    var source: ImageSource { .memory(bytes) }

    static let all: [WorkerSample] = [
        WorkerSample(
            format: .svg,
            bytes: ByteBuffer(
                string: """
                    <svg xmlns="http://www.w3.org/2000/svg" width="16" height="8">
                    <rect width="8" height="8" fill="red"/><rect x="8" width="8" height="8" fill="blue"/></svg>
                    """
            ),
            isTransparent: true
        ),
        WorkerSample(format: .pdf, bytes: pdf("1 0 0 rg 0 0 8 8 re f 0 0 1 rg 8 0 8 8 re f")),
        WorkerSample(format: .jxl, bytes: decoded("/wrBQSQIAgEAfABLGIsVABxExhhjpHiBEACi22YQ/CuJtqGMPgJegLwA")),
        WorkerSample(
            format: .jp2,
            bytes: decoded(
                """
                AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAAACAAAABAAAwcHAAAAAAAPY29scgEAAAAA\
                ABAAAACzanAyY/9P/1EALwAAAAAAEAAAAAgAAAAAAAAAAAAAAgAAAAIAAAAAAAAAAAAAAwcBAQcBAQcBAf9SAAwAAAABAQAEBAAB\
                /1wABEBA/2QAJQABQ3JlYXRlZCBieSBPcGVuSlBFRyB2ZXJzaW9uIDIuNS4w/5AACgAAAAAAOwAB/5PPtDwRUFSup3VP8AAAAAAw\
                kJffgFA7uQ8po6JdAWg/34BYFABbGQquRYof/3//2Q==
                """
            )
        ),
    ]

    /// HEIC and AVIF of the same image, whose headers the server reads itself.
    static let codedFrames = [
        decoded(
            """
            AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAa5tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5w\
            aXRtAAAAAAACAAAAEGlkYXQAAAAAABAACAAAADhpbG9jAQAAAERAAAIAAQAAAAAAAAHSAAEAAAAAAAAArAACAAEAAAAAAAAAAQAAAAAA\
            AAAIAAAAOGlpbmYAAAAAAAIAAAAVaW5mZQIAAAEAAQAAaHZjMQAAAAAVaW5mZQIAAAAAAgAAZ3JpZAAAAADZaXBycAAAALdpcGNvAAAA\
            d2h2Y0MBBAgAAAAAAAAAAAAe8AD8//j4AAAPAyAAAQAXQAEMAf//BAgAAAMAnjgAAAMAAB66AkAhAAEAKkIBAQQIAAADAJ44AAADAAAe\
            kAQQILLdVdNc3AgIGBAAAAMAEAAAAwAQgCIAAQAIRAHBcxgwGJAAAAAUaXNwZQAAAAAAAABAAAAAQAAAABRpc3BlAAAAAAAAABAAAAAI\
            AAAAEHBpeGkAAAAAAwgICAAAABppcG1hAAAAAAAAAAIAAQKBAgACAgOEAAAAGmlyZWYAAAAAAAAADmRpbWcAAgABAAEAAAC0bWRhdAAA\
            AKgoAa8GshsJ44Dxx3Wgcd++IP//fV/Iedxy2TdfF331DN//Y1LA6vmMNvWhT/bjyIDDGGfRaFI9HwXQps7oZT05dyXTu1+1/j54YF0f\
            1Qlx2xR0qwcA7u/fXGTM9wxLUAdJoqwJo12zIQ3YKNn0FenPf+tLfc9dIdAhL2XJ4uHk03P0GSgK0J2UQMHo5mWRkh0MR+LR/TqBPX1l\
            4gfyZsRcYeQRq8q1xqs=
            """
        ),
        decoded(
            """
            AAAAHGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZgAAAOptZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5w\
            aXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAEOAAEAAAAAAAAALQAAACNpaW5mAAAAAAABAAAAFWluZmUCAAAAAAEAAGF2MDEA\
            AAAAamlwcnAAAABLaXBjbwAAABNjb2xybmNseAACAAIABoAAAAAMYXYxQ4EgAgAAAAAUaXNwZQAAAAAAAAAQAAAACAAAABBwaXhpAAAA\
            AAMICAgAAAAXaXBtYQAAAAAAAAABAAEEgYIDhAAAADVtZGF0EgAKCDgMv7CBAQNIMh8QwAAAQLcRca2OLsG7Q/jN0Otu3gYoK4vBt5Ja\
            rbqA
            """
        ),
    ]

    /// A page of 16x8 with nothing on it.
    static let emptyPage = pdf("")

    /// A black JPEG XL of 6000x6000, in 1.5 KB; it takes about 570 MB to decode.
    static let largeJXL: ByteBuffer = {
        var bytes: [UInt8] = [0xff, 0x0a, 0x7a, 0xbb, 0x01, 0x91, 0x08, 0x02, 0x01, 0x00, 0x24]
        bytes += Array(repeating: 0, count: 15)
        for _ in 0..<288 { bytes += [0x40, 0x00, 0x04] }
        bytes += [0x00, 0x4b, 0x18, 0x8b, 0x15, 0x82, 0x0b, 0x44, 0x00, 0x00]
        return ByteBuffer(bytes: bytes + Array(repeating: 3, count: 576))
    }()

    /// Noise of two thousand million layers.
    static let endless = """
        <filter id="f" x="0" y="0" width="1" height="1">
        <feTurbulence baseFrequency="0.05" numOctaves="2000000000"/></filter>
        <rect width="100" height="50" filter="url(#f)"/>
        """

    /// A limit by which a worker is told from others.
    static let unusualMemory = 333 << 20

    /// An SVG of 100x50 with something in it.
    static func svg(_ body: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \
        xmlns:xi="http://www.w3.org/2001/XInclude" width="100" height="50">\(body)</svg>
        """
    }

    /// Every way in which an SVG can name an image elsewhere.
    static func names(of url: String) -> [String] {
        [
            "<image width='100' height='50' href='\(url)'/>",
            "<image width='100' height='50' xlink:href='\(url)'/>",
            "<use href='\(url)#a'/>",
            "<xi:include href='\(url)'/>",
            "<xi:include href='\(url)' parse='text'/>",
            "<style>@import url('\(url)'); @font-face { font-family: x; src: url('\(url)'); }</style>",
            "<rect width='100' height='50' fill='url(\(url)#a)'/>",
            "<filter id='f'><feImage href='\(url)'/></filter><rect width='100' height='50' filter='url(#f)'/>",
            "<foreignObject><img xmlns='http://www.w3.org/1999/xhtml' src='\(url)'/></foreignObject>",
        ]
    }

    /// A red image of one pixel, PNG.
    static let redDot = """
        iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC
        """

    /// The first bytes of each of the formats, and of some that the worker's libvips must not know.
    static let beginnings: [[UInt8]] = [
        Array("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>".utf8), Array("%PDF-1.7\n".utf8),
        [0xff, 0x0a], [0, 0, 0, 12] + Array("JXL ".utf8) + [13, 10, 0x87, 10],
        [0, 0, 0, 12] + Array("jP  ".utf8) + [13, 10, 0x87, 10], [0xff, 0x4f, 0xff, 0x51],
        [0x1f, 0x8b, 8, 0], [], [0xff, 0xd8, 0xff, 0xe0], [0x89] + Array("PNG\r\n".utf8) + [0x1a, 10],
        Array("P6 10 10 255\n".utf8), Array("push graphic-context".utf8),
    ]

    /// The server's binary: where the tests were built, or `LCFILE_BINARY`.
    static let program: String = {
        if let path = ProcessInfo.processInfo.environment["LCFILE_BINARY"] { return path }
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appending(path: "lcfile").path
    }()

    private static func pdf(_ content: String) -> ByteBuffer {
        ByteBuffer(
            string: """
                %PDF-1.4
                1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
                2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
                3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 16 8]/Contents 4 0 R/Resources<<>>>> endobj
                4 0 obj <</Length \(content.utf8.count)>> stream
                \(content)
                endstream endobj
                trailer <</Root 1 0 R>>
                """
        )
    }

    private static func decoded(_ text: String) -> ByteBuffer {
        ByteBuffer(bytes: Data(base64Encoded: text) ?? Data())
    }
}

/// The worker processes that this process started and that are not reaped yet, dead ones too.
enum Children {
    /// As the kernel cuts them.
    private static let names: Set<Substring> = [
        (WorkerSample.program.split(separator: "/").last ?? "").prefix(15), "echo", "yes", "cat",
    ]

    static var all: [String] {
        everybody.filter { process in
            // 1234 (name) S 1233 …
            let operations = (read("stat", of: process) ?? "").split { $0 == " " || $0 == "(" || $0 == ")" }
            return operations.count > 3 && names.contains(operations[1]) && operations[3] == "\(getpid())"
        }
    }

    /// Whether there is any process with this word.
    static func anywhere(with word: String) -> Bool {
        everybody.contains { (read("cmdline", of: $0) ?? "").split(separator: "\0").contains(word[...]) }
    }

    private static var everybody: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    }

    /// A file that the kernel has about a process; nothing if the process is gone.
    static func read(_ file: String, of process: String) -> String? {
        guard Int(process) != nil else { return nil }
        let data = try? Data(contentsOf: URL(filePath: "/proc/\(process)/\(file)"))
        return data.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// A socket on the loopback that accepts nothing.
final class Listener {
    private let descriptor: CInt
    let port: Int

    init() throws {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, generic, &length) == 0
            }
        }
        guard bound else {
            close(descriptor)
            throw WorkerFailure(description: "no listener")
        }
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit {
        close(descriptor)
    }

    /// Whether a connection was accepted.
    var hasConnections: Bool { accept(descriptor, nil, nil) >= 0 }
}
