import FoundationEssentials
import Glibc
import NIOPosix
import Testing

@testable import VipsMedia

/// What the fonts of texts cost; each case in a process of its own.
@Suite struct TextFontsTests {
    @Test("texts in ever new families and sizes take no more memory")
    func fonts() async {
        await #expect(processExitsWith: .success) {
            try VipsLibrary.start()
            try TextFontsTests.renderFamilies(0..<100)
            let before = TextFontsTests.anonymousBytes
            try TextFontsTests.renderFamilies(100..<400)
            // 17 MB if no font is freed.
            _exit(TextFontsTests.anonymousBytes - before < 5 << 20 ? 0 : 1)
        }
    }

    @Test("large texts in ever new sizes, and of ever new characters, take no more memory")
    func glyphs() async {
        await #expect(processExitsWith: .success) {
            try VipsLibrary.start()
            try TextFontsTests.renderLarge(0..<8)
            let before = TextFontsTests.anonymousBytes
            try TextFontsTests.renderLarge(8..<40)
            // 200 MB if no glyph is freed, 40 MB if glyphs do not count.
            _exit(TextFontsTests.anonymousBytes - before < 20 << 20 ? 0 : 1)
        }
    }

    @Test("texts in different fonts do not block the threads of each other for ever")
    func threads() async {
        await #expect(processExitsWith: .success) {
            try VipsLibrary.start()
            // Ends the process at a deadlock.
            alarm(60)
            let pool = NIOThreadPool(numberOfThreads: 8)
            pool.start()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for first in 0..<8 {
                    group.addTask {
                        try await pool.runIfActive {
                            try TextFontsTests.renderFamilies(first * 100..<first * 100 + 100)
                        }
                    }
                }
                try await group.waitForAll()
            }
            _exit(0)
        }
    }

    private static func renderFamilies(_ numbers: Range<Int>) throws {
        for number in numbers {
            _ = try TextFonts.mask(of: "Hé漢字", in: "Family \(number)", pixels: 10 + Double(number) / 20)
        }
    }

    private static func renderLarge(_ numbers: Range<Int>) throws {
        for number in numbers {
            _ = try TextFonts.mask(of: "ABCDEFGHIJKL", in: "sans-serif", pixels: 500 - Double(number) / 20)
            let first = 0x4e00 + UInt32(number) * 12
            let ideographs = (first..<first + 12).compactMap { Unicode.Scalar($0) }.map(String.init).joined()
            _ = try TextFonts.mask(of: ideographs, in: "sans-serif", pixels: 500)
        }
    }

    /// The memory of this process without the pages of files (proc(5)).
    private static var anonymousBytes: Int {
        let status = (try? Data(contentsOf: URL(filePath: "/proc/self/status"))) ?? Data()
        let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("RssAnon:") } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) << 10
    }
}
