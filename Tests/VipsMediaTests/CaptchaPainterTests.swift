import Domain
import NIOPosix
import Testing

@testable import VipsMedia

/// The pictures of captchas; that people can read them was checked by looking at some.
@Suite struct CaptchaPainterTests {
    private func paint(_ picture: CaptchaPicture) async throws -> [UInt8] {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        let png: Result<[UInt8], any Error>
        do {
            png = .success(try await VipsCaptchaPainter(pool: pool).paint(picture))
        } catch {
            png = .failure(error)
        }
        try await pool.shutdownGracefully()
        return try png.get()
    }

    @Test("a picture is a PNG of its size", arguments: [(60, 30, "ABC"), (85, 30, "KX7V"), (200, 100, "F7HANY")])
    func size(width: Int, height: Int, characters: String) async throws {
        let picture = CaptchaPicture(characters: characters, width: width, height: height, seed: 1)
        let png = try await paint(picture)
        #expect(png.prefix(8) == [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
        func number(at offset: Int) -> Int { png[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        #expect([number(at: 16), number(at: 20)] == [width, height])
    }

    @Test("a picture follows from its values, and each of them changes it")
    func determined() async throws {
        let first = CaptchaPicture(characters: "KX7V", width: 85, height: 30, seed: 1)
        let png = try await paint(first)
        #expect(try await paint(first) == png)
        for other in [
            CaptchaPicture(characters: "KX7V", width: 85, height: 30, seed: 2),
            CaptchaPicture(characters: "KX7A", width: 85, height: 30, seed: 1),
        ] {
            #expect(try await paint(other) != png)
        }
    }

    @Test("characters are dark on a light ground, all over the width")
    func contrast() throws {
        try VipsLibrary.start()
        let picture = CaptchaPicture(characters: "KX7V", width: 120, height: 40, seed: 3)
        let canvas = CaptchaCanvas(picture, try picture.characters.map { try GlyphMask($0) })
        let levels = stride(from: 0, to: canvas.pixels.count, by: 3).map { offset in
            canvas.pixels[offset..<offset + 3].reduce(0) { $0 + Int($1) } / 3
        }
        #expect(levels.count(where: { $0 > 200 }) > levels.count / 2)
        for quarter in 0..<4 {
            let columns = quarter * 30..<quarter * 30 + 30
            let part = levels.indices.filter { columns.contains($0 % 120) }.map { levels[$0] }
            let dark = part.count { $0 < 140 }
            #expect(dark > 40, "\(quarter): \(dark)")
        }
    }
}
