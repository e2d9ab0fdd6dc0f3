internal import Domain

/// The task of a worker process as command-line arguments, used by both sides.
struct WorkerTask: Equatable {
    /// The requested result for the image on standard input.
    enum Work: Equatable {
        /// Only its ``WorkerHead``.
        case header
        /// Its ``WorkerMetadata``.
        case metadata
        /// Its pixels at a size (argument `draw`).
        case decode(ImageSize, ImageEffort)
    }

    var work: Work
    /// The processor priority of the process.
    var priority: ImagePriority
    /// The maximum memory of the process in bytes.
    var memory: Int
    /// The maximum processor time of the process in seconds.
    var seconds: Int
    /// The maximum width and height of a source whose pixels are requested.
    var side: Int
    /// The maximum number of pixels of such a source, and of the result.
    var pixels: Int

    init(_ work: Work, _ priority: ImagePriority, memory: Int, seconds: Int, side: Int, pixels: Int) {
        self.work = work
        self.priority = priority
        self.memory = memory
        self.seconds = seconds
        self.side = side
        self.pixels = pixels
    }

    /// Parses `header normal …`, `metadata normal …` or `draw 200x100 fast low …`, each followed by the four limits; `nil` for other
    /// arguments.
    init?(arguments: [String]) {
        let numbers = arguments.suffix(4).compactMap { Int($0) }.filter { $0 > 0 && $0 <= 1 << 40 }
        guard arguments.count > 5, numbers.count == 4,
            let priority = ImagePriority(rawValue: arguments[arguments.count - 5])
        else {
            return nil
        }
        let work: Work
        switch (arguments[0], arguments.count - 5) {
        case ("header", 1): work = .header
        case ("metadata", 1): work = .metadata
        case ("draw", 3):
            let sides = arguments[1].split(separator: "x").compactMap { Int($0) }.filter {
                (1...1_000_000).contains($0)
            }
            guard sides.count == 2, let effort = ImageEffort(rawValue: arguments[2]) else { return nil }
            work = .decode(ImageSize(width: sides[0], height: sides[1]), effort)
        default: return nil
        }
        self.init(work, priority, memory: numbers[0], seconds: numbers[1], side: numbers[2], pixels: numbers[3])
    }

    /// The arguments of this task.
    var arguments: [String] {
        let asked: [String] =
            switch work {
            case .header: ["header"]
            case .metadata: ["metadata"]
            case .decode(let size, let effort): ["draw", "\(size)", effort.rawValue]
            }
        return asked + [priority.rawValue] + [memory, seconds, side, pixels].map(String.init)
    }

    /// Whether a size is within the limits on sources.
    func allows(_ size: ImageSize) -> Bool {
        size.width <= side && size.height <= side && size.area <= pixels
    }
}
