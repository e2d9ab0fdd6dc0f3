internal import Domain

/// The task of a worker process as command-line arguments, for both sides.
struct WorkerTask: Equatable {
    /// What is wanted of the image on standard input.
    enum Work: Equatable {
        /// Its ``WorkerHead`` alone.
        case header
        /// Its pixels at a size (argument `draw`).
        case decode(ImageSize, ImageEffort)
    }

    var work: Work
    /// How much of the processors the process gets.
    var priority: ImagePriority
    /// The most bytes that the process may take.
    var memory: Int
    /// The most seconds of a processor that it may use.
    var seconds: Int
    /// The most pixels on either side of a source whose pixels are wanted.
    var side: Int
    /// The most pixels of such a source, and of what is drawn.
    var pixels: Int

    init(_ work: Work, _ priority: ImagePriority, memory: Int, seconds: Int, side: Int, pixels: Int) {
        self.work = work
        self.priority = priority
        self.memory = memory
        self.seconds = seconds
        self.side = side
        self.pixels = pixels
    }

    /// Reads `header normal …` or `draw 200x100 fast low …`, with the four limits behind it; nothing else is a task.
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
            case .decode(let size, let effort): ["draw", "\(size)", effort.rawValue]
            }
        return asked + [priority.rawValue] + [memory, seconds, side, pixels].map(String.init)
    }

    /// Whether a size is within the limits on sources.
    func allows(_ size: ImageSize) -> Bool {
        size.width <= side && size.height <= side && size.area <= pixels
    }
}
