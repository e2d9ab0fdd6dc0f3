@testable import VipsMedia

/// JPEG headers made by hand: segments as ITU-T T.81, annex B, draws them.
enum JPEGSample {
    static func facts(_ bytes: [UInt8]) throws -> JPEGFacts? {
        try bytes.withUnsafeBytes { try JPEGFacts(ByteWindow($0)) }
    }

    static func file(_ segments: [UInt8]...) -> [UInt8] {
        [0xff, 0xd8] + segments.joined() + segment(0xda, [3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0]) + [
            0x12, 0x34, 0xff, 0xd9,
        ]
    }

    static func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
        let length = body.count + 2
        return [0xff, marker, UInt8(length >> 8), UInt8(length & 0xff)] + body
    }

    /// A quantization table of 8 bits.
    static func table(_ id: UInt8, _ steps: [UInt8]) -> [UInt8] {
        segment(0xdb, [id] + steps)
    }

    /// A frame with a component for each table named.
    static func frame(_ marker: UInt8 = 0xc0, width: Int = 300, height: Int = 200, tables: [UInt8]) -> [UInt8] {
        let sides = [height >> 8, height & 0xff, width >> 8, width & 0xff].map(UInt8.init)
        let components = tables.enumerated().flatMap { [UInt8($0.offset + 1), 0x11, $0.element] as [UInt8] }
        return segment(marker, [8] + sides + [UInt8(tables.count)] + components)
    }

    /// A quality and the tables that libjpeg writes for it.
    static let tables: [(Int, [UInt8], [UInt8])] = [
        (1, [UInt8](repeating: 255, count: 64), [UInt8](repeating: 255, count: 64)),
        (
            25,
            bytes(
                "2016181c1814201c1a1c24222026305034302c2c3062464a3a5074667a787266",
                "706e8090b89c8088ae8a6e70a0daa2aebec4ced0ce7c9ae2f2e0c8f0b8cacec6"
            ),
            bytes("222424302a305e34345ec6847084") + [UInt8](repeating: 0xc6, count: 50)
        ),
        (
            75,
            bytes(
                "080606070605080707070909080a0c140d0c0b0b0c1912130f141d1a1f1e1d1a",
                "1c1c20242e2720222c231c1c2837292c30313434341f27393d38323c2e333432"
            ),
            bytes("0909090c0b0c180d0d1832211c21") + [UInt8](repeating: 0x32, count: 50)
        ),
        (
            92,
            bytes(
                "030202020202030202020303030304060404040404080606050609080a0a0908",
                "09090a0c0f0c0a0b0e0b09090d110d0e0f101011100a0c12131210130f101010"
            ),
            bytes("03030304030408040408100b090b") + [UInt8](repeating: 0x10, count: 50)
        ),
        (100, [UInt8](repeating: 1, count: 64), [UInt8](repeating: 1, count: 64)),
    ]

    private static func bytes(_ digits: String...) -> [UInt8] {
        let digits = Array(digits.joined())
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
    }
}
