internal import Domain
internal import Glibc

/// The pixels of a captcha: turned and waved characters that overlap a little, with curves through them and specks.
///
/// Programs that read captchas separate the characters first; the curves in their colours and the overlap hinder that,
/// and people read on.
struct CaptchaCanvas {
    /// Rows of three bytes for each pixel.
    let pixels: [UInt8]

    /// A character in its place.
    private struct Glyph {
        let mask: GlyphMask
        let centerX: Double
        let centerY: Double
        /// Pixels of the mask for one of the canvas.
        let scale: Double
        let sine: Double
        let cosine: Double
        let color: [Double]
        /// The distance from the centre beyond which the character has no pixels.
        let radius: Double

        func opacity(_ x: Double, _ y: Double) -> Double {
            let (dx, dy) = (x - centerX, y - centerY)
            guard dx * dx + dy * dy < radius * radius else { return 0 }
            return mask.opacity(
                (dx * cosine + dy * sine) * scale + Double(mask.width) / 2,
                (dy * cosine - dx * sine) * scale + Double(mask.height) / 2
            )
        }
    }

    /// A curve through the canvas.
    private struct Curve {
        let middle: Double
        let amplitude: Double
        let length: Double
        let phase: Double
        let color: [Double]

        func opacity(_ x: Double, _ y: Double, _ width: Double) -> Double {
            let distance = abs(y - middle - amplitude * sin(x / length + phase))
            return min(1, max(0, width / 2 + 0.5 - distance))
        }
    }

    /// Computes the pixels.
    init(_ picture: CaptchaPicture, _ masks: [GlyphMask]) {
        var random = SeededNumbers(picture.seed)
        let (width, height) = (Double(picture.width), Double(picture.height))
        let glyphs = CaptchaCanvas.glyphs(masks, width, height, &random)
        let curves = (0..<2).map { index in
            Curve(
                middle: height * random.next(0.35...0.65),
                amplitude: height * random.next(0.12...0.28),
                length: width / random.next(5...9),
                phase: random.next(0...6.28),
                color: glyphs[index % max(1, glyphs.count)].color
            )
        }
        let wave = (phase: random.next(0...6.28), other: random.next(0...6.28))
        let background = (0..<3).map { _ in random.next(226...250) }
        let stroke = max(1, height / 26)
        var pixels: [UInt8] = []
        pixels.reserveCapacity(picture.width * picture.height * 3)
        for row in 0..<picture.height {
            for column in 0..<picture.width {
                var color = [0.0, 0, 0]
                // Four samples for smooth edges.
                for (dx, dy) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
                    let (x, y) = (Double(column) + dx, Double(row) + dy)
                    let waveX = x + height * 0.03 * sin(y / height * 6.28 + wave.phase)
                    let waveY = y + height * 0.05 * sin(x / height * 3.14 + wave.other)
                    var sample = background
                    for glyph in glyphs {
                        CaptchaCanvas.lay(glyph.color, glyph.opacity(waveX, waveY), on: &sample)
                    }
                    for curve in curves {
                        CaptchaCanvas.lay(curve.color, 0.75 * curve.opacity(x, y, stroke), on: &sample)
                    }
                    for band in 0..<3 { color[band] += sample[band] / 4 }
                }
                let noise = random.next(-14...14) - (random.next(0...1) > 0.985 ? 90 : 0)
                for value in color { pixels.append(UInt8(max(0, min(255, value + noise)))) }
            }
        }
        self.pixels = pixels
    }

    private static func glyphs(
        _ masks: [GlyphMask],
        _ width: Double,
        _ height: Double,
        _ random: inout SeededNumbers
    ) -> [Glyph] {
        let cell = width * 0.92 / Double(max(1, masks.count))
        return masks.enumerated().map { index, mask in
            let angle = random.next(-0.32...0.32)
            // The largest size at which the character fits into its cell and the height.
            let side = max(Double(mask.height) / (height * 0.72), Double(mask.width) / (cell * 1.05))
            let darkness = random.next(20...90)
            var color = [darkness, darkness, darkness]
            color[Int(random.next(0...2.99))] += random.next(40...90)
            let scale = side * random.next(1...1.12)
            return Glyph(
                mask: mask,
                centerX: width * 0.04 + cell * (Double(index) + 0.5) + cell * random.next(-0.06...0.06),
                centerY: height / 2 + height * random.next(-0.07...0.07),
                scale: scale,
                sine: sin(angle),
                cosine: cos(angle),
                color: color,
                radius: Double(mask.width + mask.height) / 2 / scale
            )
        }
    }

    private static func lay(_ color: [Double], _ opacity: Double, on base: inout [Double]) {
        guard opacity > 0 else { return }
        for band in 0..<3 { base[band] += (color[band] - base[band]) * opacity }
    }
}

/// Numbers that follow from a seed (SplitMix64), so that a captcha always has the same picture.
struct SeededNumbers {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    /// A number of a range; all are about equally probable.
    mutating func next(_ range: ClosedRange<Double>) -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return range.lowerBound + (range.upperBound - range.lowerBound) * Double(mixed >> 11) / Double(1 << 53)
    }
}
