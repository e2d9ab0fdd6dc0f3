extension ImagePlan {
    /// About the most bytes of memory that carrying the plan out takes, known before a pixel is decoded.
    ///
    /// Decoders differ: some return lines and store no others, some need the whole image. The figures are what the
    /// libraries allocate, rounded up; docs/security.md lists them.
    ///
    /// - Parameters:
    ///   - header: What the source says of itself.
    ///   - marks: The images that watermarks lay over it, by their keys.
    /// - Returns: In bytes.
    package func memoryEstimate(of header: ImageHeader, marks: [FileKey: ImageHeader] = [:]) -> Int {
        let decoding = header.memoryEstimate(shrinksTo: firstSize(of: header), frames: frames, effort: output.effort)
        let whole = largestSize.area * 4
        // Lines in process, or the whole image if a step needs it.
        let working = needsWholeImage || frames > 1 ? whole * 2 * frames : min(whole, largestSize.width * 4 * 512)
        let laying = laying(marks, on: header)
        let texts = steps.reduce(0) { $0 + $1.textArea * 8 }
        return ImagePlan.base + decoding + working + laying + texts + encoding
    }

    /// The memory of watermark images: each is decoded at its step, and all stay until the result is written.
    private func laying(_ marks: [FileKey: ImageHeader], on header: ImageHeader) -> Int {
        var size = header.size
        var sum = 0
        for step in steps {
            switch step {
            case .orient: if header.isTurned { size = size.turned }
            case .scale(let new), .rotate(_, _, let new): size = new
            case .crop(let area): size = area.size
            case .blur, .sharpen, .flatten: break
            case .watermark(let watermark):
                for case .image(let mark) in watermark.marks.map(\.content) {
                    sum += marks[mark.key]?.memoryEstimate(as: mark, on: size, effort: output.effort) ?? 0
                }
            }
        }
        return sum
    }

    /// What any job takes: tables of codecs, libvips' own objects, a thread's stack.
    private static let base = 4 << 20

    /// The size, as the pixels lie, that the source is shrunk to while it is decoded; `nil` for its own.
    package func firstSize(of header: ImageHeader) -> ImageSize? {
        var isTurned = false
        for step in steps {
            switch step {
            case .orient: isTurned = header.isTurned
            case .scale(let size): return isTurned ? size.turned : size
            default: return nil
            }
        }
        return nil
    }

    private var needsWholeImage: Bool {
        steps.contains { step in
            switch step {
            case .orient, .rotate, .blur, .sharpen, .watermark: true
            case .scale, .crop, .flatten: false
            }
        } || output.sizeLimit != nil
    }

    private var encoding: Int {
        let bytesForPixel =
            switch output.format {
            // A coefficient has two bytes, and optimised tables need all of them.
            case .jpeg: 8
            case .png: output.colors == nil ? 1 : 8
            case .webp: 12
            case .gif: 8
            case .avif: 40
            }
        return size.area * bytesForPixel * frames
    }
}

extension ImagePlan.Step {
    fileprivate var textArea: Int {
        guard case .watermark(let watermark) = self else { return 0 }
        return watermark.marks.reduce(0) { sum, mark in
            switch mark.content {
            case .image: sum
            case .text(let text), .tiles(let text, _, _, _): sum + text.area
            }
        }
    }
}

extension ImageHeader {
    /// The most bytes, beside the file, that making a JPEG smaller may take: its planes at 3/8 of its sides if the
    /// result is at most a quarter as long, some lines of it, and the whole result.
    package func downscaledMemory(to size: ImageSize) -> Int {
        let isSmall = size.width * 4 <= self.size.width && size.height * 4 <= self.size.height
        return (isSmall ? self.size.area / 2 : 0) + self.size.width * 3 * 1024 + size.area * 3 + (1 << 20)
    }

    /// Whether a JPEG may be made smaller on a way that takes ``downscaledMemory(to:)``.
    package func canBeDownscaled(to size: ImageSize, effort: ImageEffort) -> Bool {
        effort == .fast && !isProgressive && bands <= 3 && size.width < self.size.width
            && size.height < self.size.height
    }

    /// Bytes for laying the image over one of some size: decoding it, and its pixels with opacity, at most twice.
    fileprivate func memoryEstimate(as mark: Watermark.ImageMark, on size: ImageSize, effort: ImageEffort) -> Int {
        let upright = mark.size(of: uprightSize, on: size)
        let lying = isTurned ? upright.turned : upright
        // Only a JPEG is shrunk while it is decoded; the worker draws marks as large as they are.
        let target: ImageSize? = format == .jpeg && lying != self.size ? lying : nil
        return memoryEstimate(shrinksTo: target, frames: 1, effort: effort) + upright.area * 8
    }

    /// Bytes for decoding.
    fileprivate func memoryEstimate(shrinksTo target: ImageSize?, frames: Int, effort: ImageEffort) -> Int {
        let area = size.area
        let lines = size.width * bands * (bitsPerSample > 8 ? 2 : 1) * 256
        return switch format {
        case .jpeg where isProgressive: area * 2 * bands
        case .jpeg:
            if let target, canBeDownscaled(to: target, effort: effort) {
                downscaledMemory(to: target) + fileSize
            } else {
                min(lines, area * bands)
            }
        case .png: isProgressive ? area * bands * (bitsPerSample > 8 ? 2 : 1) : lines
        // The canvas, the frame on it, a table of all frames and the file itself.
        case .gif: area * 8 + area * 4 * (frames > 1 ? frames : 0) + self.frames * 128 + fileSize
        // The canvas, the frame, what libwebp decodes it to and the image turned; the file itself.
        case .webp: area * 16 + area * 4 * (frames > 1 ? frames : 0) + fileSize
        case .bmp: area * 8 + fileSize
        // The worker draws at the size that is wanted; its pixels are there twice while they are taken over.
        case .tiff, .heic, .avif, .svg, .pdf, .jxl, .jp2: (target ?? size).area * 12
        }
    }
}
