extension ImagePlan {
    /// The estimated processor time of the plan on the reference machine, computed before a pixel is decoded.
    ///
    /// The estimate is the number of pixels of each step and of all frames, times the cost of one pixel that
    /// `Benchmarks/run costs` measured, rounded up. It orders jobs and refuses those beyond `images.maxWork`; other
    /// machines can be several times faster or slower. docs/security.md lists the figures.
    ///
    /// - Parameters:
    ///   - header: The header of the source.
    ///   - marks: The headers of watermark images, by their keys.
    /// - Returns: The estimate, at least 2 ms.
    package func timeEstimate(of header: ImageHeader, marks: [FileKey: ImageHeader] = [:]) -> Duration {
        let first = firstSize(of: header)
        var nanoseconds = header.decodingWork(shrinksTo: first, frames: frames)
        let perFrame = stepWork(on: header, marks, isShrunk: first != nil) + encodingWork
        nanoseconds += Double(frames) * perFrame
        return ImagePlan.leastWork + .nanoseconds(Int64(min(nanoseconds, 1e17)))
    }

    /// The time of any job: a thread, a header, a file.
    private static let leastWork = Duration.milliseconds(2)

    /// Nanoseconds for all steps of one frame.
    private func stepWork(
        on header: ImageHeader,
        _ marks: [FileKey: ImageHeader],
        isShrunk: Bool
    ) -> Double {
        // libvips computes in floating point if the image has transparency.
        let bands = header.hasAlpha ? 2.0 : 1.0
        let linear = output.effort == .best ? 3.0 : 1.0
        var size = header.size
        var isFirst = isShrunk && frames == 1
        // Each frame is first converted to sRGB at its own size.
        var sum = frames > 1 ? Double(size.area) * 20 * bands : 0
        for step in steps {
            switch step {
            case .orient:
                // A decoder scales down before it rotates.
                sum += isFirst ? 0 : Double(size.area) * 15 * bands
                if header.isTurned { size = size.turned }
            case .scale(let new):
                // For a decoder that shrinks, the decoding estimate includes the source's pixels.
                sum += ((isFirst ? 0 : Double(size.area) * 15) + Double(new.area) * 40) * bands * linear
                size = new
                isFirst = false
            case .crop(let area): size = area.size
            case .rotate(let degrees, _, let new):
                sum += Double(new.area) * (degrees % 90 == 0 ? 15 : 60) * bands
                size = new
            case .blur(let radius, let sigma):
                // The mask ends at the radius, or where it is no longer visible; each pixel is a sum over the mask.
                let reach = min(Double(radius), (3.6 * sigma).rounded(.up))
                sum += Double(size.area) * (40 + (header.hasAlpha ? 18 : 14) * reach)
            case .sharpen: sum += Double(size.area) * (header.hasAlpha ? 420 : 130)
            case .flatten: sum += Double(size.area) * 10
            case .watermark(let watermark): sum += markWork(watermark, marks, on: size)
            }
        }
        return sum
    }

    /// Nanoseconds for one watermark, which is composited on every frame.
    private func markWork(_ watermark: Watermark, _ marks: [FileKey: ImageHeader], on size: ImageSize) -> Double {
        watermark.marks.reduce(0) { sum, mark in
            // Compositing always processes the whole image.
            let composing = Double(size.area) * 20
            return switch mark.content {
            case .image(let image):
                sum + composing + (marks[image.key]?.timeEstimate(as: image, on: size) ?? 0)
            case .text(let text):
                sum + composing + ImagePlan.timeEstimate(of: text)
            case .tiles(let text, _, _, _):
                sum + composing + Double(size.area) * 60 + ImagePlan.timeEstimate(of: text)
            }
        }
    }

    /// Nanoseconds for rendering a watermark text: its area, and 2 ms for Pango and a font.
    private static func timeEstimate(of text: Watermark.TextMark) -> Double {
        2e6 + Double(text.area) * 50
    }

    /// Nanoseconds for encoding one frame.
    private var encodingWork: Double {
        let pixels = Double(size.area)
        let isBest = output.effort == .best
        let perPixel: Double =
            switch output.format {
            case .jpeg: output.isProgressive ? 35 : 20
            case .png: output.colors == nil ? 180 : 500
            case .webp: 200
            case .gif: 500
            case .avif: isBest ? 960 : 320
            }
        // A binary search finds the quality in at most eight steps.
        let tries = output.sizeLimit == nil ? 1.0 : 9
        return pixels * perPixel * tries
    }
}

extension ImageHeader {
    /// Nanoseconds for compositing the image on one of the given size.
    fileprivate func timeEstimate(as mark: Watermark.ImageMark, on size: ImageSize) -> Double {
        let target = mark.size(of: uprightSize, on: size)
        return decodingWork(shrinksTo: target, frames: 1) + Double(target.area) * 60
    }

    /// Nanoseconds for decoding; the target matters only for decoders that shrink.
    fileprivate func decodingWork(shrinksTo target: ImageSize?, frames: Int) -> Double {
        let isSmall = target.map { $0.width * 4 <= size.width && $0.height * 4 <= size.height } ?? false
        let perPixel: Double =
            switch format {
            case .jpeg: isProgressive ? 10 + 2 * Double(scans) : isSmall ? 8 : 15
            case .png: (isProgressive ? 40 : 30) * (bitsPerSample > 8 ? 1.5 : 1)
            case .webp: isSmall && frames == 1 ? 30 : 45
            case .gif: 35
            case .bmp: 40
            case .tiff: 85
            case .avif: 90
            case .heic: 150
            case .jxl: 100
            case .jp2: 160
            // Their pixels are the rendered pixels.
            case .svg, .pdf: 0
            }
        let drawn = Double((target ?? size).area) * 50
        let worker =
            switch format {
            // The header does not show the content of a page: this is the time of an ordinary page.
            case .svg, .pdf: 400e6 + drawn
            // Starting the worker process and transferring the pixels.
            case .tiff, .avif, .heic, .jxl, .jp2: 50e6
            case .jpeg, .png, .webp, .gif, .bmp: 0.0
            }
        return Double(size.area) * perPixel * Double(frames) + worker
    }
}
