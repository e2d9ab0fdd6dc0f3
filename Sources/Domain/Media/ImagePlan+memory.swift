extension ImagePlan {
    /// The estimated peak memory of the plan, computed before a pixel is decoded.
    ///
    /// Decoders differ: some return lines without storing others, some need the whole image. The figures are the
    /// libraries' allocations, rounded up; docs/security.md lists them.
    ///
    /// - Parameters:
    ///   - header: The header of the source.
    ///   - marks: The headers of watermark images, by their keys.
    /// - Returns: The estimate in bytes.
    package func memoryEstimate(of header: ImageHeader, marks: [FileKey: ImageHeader] = [:]) -> Int {
        let decoding = header.memoryEstimate(shrinksTo: firstSize(of: header), frames: frames, effort: output.effort)
        let whole = largestSize.area * 4
        // The lines in progress, or the whole image if a step needs it.
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

    /// The memory of any job: codec tables, libvips' objects, a thread's stack.
    private static let base = 4 << 20

    /// The size before orientation to which the decoder shrinks the source; `nil` for the source's size.
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
            // A coefficient has two bytes, and optimized Huffman tables need all coefficients.
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
    /// The maximum memory in bytes, beside the file, for downscaling a JPEG: its planes at 3/8 of its sides if the
    /// result's sides are at most a quarter, some lines of it, and the whole result.
    package func downscaledMemory(to size: ImageSize) -> Int {
        let isSmall = size.width * 4 <= self.size.width && size.height * 4 <= self.size.height
        return (isSmall ? self.size.area / 2 : 0) + self.size.width * 3 * 1024 + size.area * 3 + (1 << 20)
    }

    /// Whether a JPEG can be downscaled within ``downscaledMemory(to:)``.
    package func canBeDownscaled(to size: ImageSize, effort: ImageEffort) -> Bool {
        effort == .fast && !isProgressive && bands <= 3 && size.width < self.size.width
            && size.height < self.size.height
    }

    /// The memory in bytes for a watermark image: decoding it, and at most two copies of its pixels with opacity.
    fileprivate func memoryEstimate(as mark: Watermark.ImageMark, on size: ImageSize, effort: ImageEffort) -> Int {
        let upright = mark.size(of: uprightSize, on: size)
        let lying = isTurned ? upright.turned : upright
        // Only a JPEG is shrunk while it is decoded; the worker process renders watermark images at their full size.
        let target: ImageSize? = format == .jpeg && lying != self.size ? lying : nil
        return memoryEstimate(shrinksTo: target, frames: 1, effort: effort) + upright.area * 8
    }

    /// The memory in bytes for decoding.
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
        // The canvas, the frame on it, a table of all frames, and the file.
        case .gif: area * 8 + area * 4 * (frames > 1 ? frames : 0) + self.frames * 128 + fileSize
        // The canvas, the frame, libwebp's output and the rotated image; and the file.
        case .webp: area * 16 + area * 4 * (frames > 1 ? frames : 0) + fileSize
        case .bmp: area * 8 + fileSize
        // The worker process renders at the target size; two copies of the pixels exist while they are transferred.
        case .tiff, .heic, .avif, .svg, .pdf, .jxl, .jp2: (target ?? size).area * 12
        }
    }
}
