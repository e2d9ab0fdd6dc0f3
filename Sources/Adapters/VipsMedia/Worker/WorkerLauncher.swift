package import Domain
internal import NIOCore
package import NIOPosix
internal import Subprocess
internal import SystemPackage

/// Starts worker processes, each for one answer, and believes only what it can check.
///
/// A worker has standard input, output and /dev/null and no other descriptor, an environment of three variables, and
/// ends with its answer, at the deadline, when the task is cancelled, when it answers more than it may, or with the
/// server. When a method returns, its process is gone and reaped.
package struct WorkerLauncher: Sendable {
    // No home, no search path, no proxy. One arena, for glibc and for jemalloc: what they reserve counts as memory.
    private let environment: [Environment.Key: String] = [
        "LANG": "C.UTF-8", "MALLOC_ARENA_MAX": "1", "MALLOC_CONF": "narenas:1,retain:false",
    ]
    private let executable: FilePath
    private let memory: Int
    private let limits: ImageLimits
    private let pool: NIOThreadPool
    private let headerTime: Int

    /// Takes what every worker gets; starts none.
    ///
    /// - Parameters:
    ///   - executable: A program that calls ``ImageWorker/run(_:)`` when its first argument is ``ImageWorker/command``:
    ///     this one.
    ///   - memory: The most bytes that a worker may take.
    ///   - limits: What a source may be, and how many seconds of a processor a worker may use.
    ///   - pool: Threads for preparing sources. Nothing waits for a worker on them.
    ///   - headerTime: The most seconds for a header.
    package init(
        executable: String = "/proc/self/exe",
        memory: Int,
        limits: ImageLimits,
        pool: NIOThreadPool,
        headerTime: Int = 5
    ) {
        self.executable = FilePath(executable)
        self.memory = memory
        self.limits = limits
        self.pool = pool
        self.headerTime = headerTime
    }

    /// What an SVG, PDF, JPEG XL or JPEG 2000 says of itself; of a PDF its first page, at 72 dots an inch.
    ///
    /// - Parameters:
    ///   - source: The image.
    ///   - priority: How much of the processors the worker gets.
    /// - Returns: The header, unchecked against any limit.
    /// - Throws: ``ServiceError/Code/notAnImage``, ``ServiceError/Code/imageTimedOut``, `CancellationError`, or
    ///   ``ServiceError/Code/internalFailure`` if workers do not work here.
    package func header(of source: ImageSource, with priority: ImagePriority) async throws -> ImageHeader {
        let deadline = ContinuousClock.now + .seconds(min(headerTime, limits.timeout))
        let answer = try await answer(to: .header, about: source, priority, atMost: WorkerHead.length, until: deadline)
        guard answer.count == WorkerHead.length, let head = WorkerHead(answer) else {
            throw notAnImage("a header of \(answer.count) bytes")
        }
        return ImageHeader(
            format: head.format,
            size: head.size,
            hasAlpha: head.hasAlpha,
            bands: head.bands,
            bitsPerSample: head.bits,
            colorModel: colorModel(of: head)
        )
    }

    /// Decodes an image's first page or frame to sRGB; vector formats are rendered at the size, not enlarged.
    ///
    /// - Parameters:
    ///   - source: The image.
    ///   - size: What the image is to fill exactly, distorted if the shape is another one.
    ///   - effort: How it is resampled.
    ///   - priority: How much of the processors the worker gets.
    ///   - deadline: When the worker is killed.
    /// - Returns: The pixels, as many as `size` says.
    /// - Throws: As ``header(of:with:)``, and ``ServiceError/Code/imageTooLarge`` for a source beyond the limits.
    package func decode(
        _ source: ImageSource,
        at size: ImageSize,
        _ effort: ImageEffort,
        with priority: ImagePriority,
        until deadline: ContinuousClock.Instant
    ) async throws -> DecodedImage {
        let most = WorkerHead.length + 4 * size.area
        let answer = try await answer(to: .decode(size, effort), about: source, priority, atMost: most, until: deadline)
        guard let head = WorkerHead(answer), head.bits == 8, head.bands == (head.hasAlpha ? 4 : 3),
            head.size == size, answer.count == WorkerHead.length + head.pixelBytes
        else { throw notAnImage("an image of \(answer.count) bytes") }
        return DecodedImage(size: head.size, bands: head.bands, pixels: answer[WorkerHead.length...])
    }

    private func answer(
        to work: WorkerTask.Work,
        about source: ImageSource,
        _ priority: ImagePriority,
        atMost count: Int,
        until deadline: ContinuousClock.Instant
    ) async throws -> [UInt8] {
        let input = try await pool.runIfActive { try WorkerInput(source) }
        let task = WorkerTask(
            work,
            priority,
            memory: memory,
            // A process that is not at the clock's end yet has not used more of a processor, unless it has threads.
            seconds: min(limits.timeout, max(1, Int(((deadline - .now) / .seconds(1)).rounded(.up)))),
            side: limits.sourceSide,
            pixels: limits.sourcePixels
        )
        let ending = try await withThrowingTaskGroup(of: Ending.self) { group in
            group.addTask { try await run(task, on: input, atMost: count) }
            group.addTask {
                try await Task.sleep(until: deadline, clock: .continuous)
                return .overdue
            }
            // The slower task is cancelled: the clock stops, or the worker is killed. Both are awaited.
            defer { group.cancelAll() }
            return try await group.next() ?? .overdue
        }
        try Task.checkCancellation()
        return try result(of: ending)
    }

    private enum Ending {
        case exited(WorkerExit?, [UInt8])
        case killed(CInt)
        case overdue
    }

    private func run(_ task: WorkerTask, on input: WorkerInput, atMost count: Int) async throws -> Ending {
        do {
            let result = try await Subprocess.run(
                .path(executable),
                arguments: Arguments([ImageWorker.command] + task.arguments),
                environment: .custom(environment),
                input: .fileDescriptor(FileDescriptor(rawValue: input.descriptor), closeAfterSpawningProcess: false),
                output: .bytes(limit: count),
                error: .discarded
            )
            return switch result.terminationStatus {
            case .exited(let code): .exited(WorkerExit(rawValue: code), result.standardOutput)
            case .signaled(let signal): .killed(signal)
            }
        } catch let error as SubprocessError where error.code == .outputLimitExceeded {
            throw notAnImage("more than \(count) bytes")
        } catch let error as SubprocessError {
            throw unavailable(error)
        }
    }

    private func result(of ending: Ending) throws -> [UInt8] {
        switch ending {
        case .exited(.answered, let bytes):
            return bytes
        case .exited(.notAnImage, _):
            throw notAnImage("the worker refused it")
        case .exited(.tooLarge, _):
            throw ServiceError(
                .imageTooLarge,
                "The image has more pixels than the limits (images.maxSourceSide, images.maxSourcePixels)."
            )
        case .killed(SIGXCPU), .overdue:
            throw ServiceError(
                .imageTimedOut,
                "The image takes longer to process than ten times its estimate, or than images.timeout."
            )
        case .exited(.outOfMemory, _), .killed(SIGABRT), .killed(SIGILL), .killed(SIGTRAP), .killed(SIGKILL):
            // How the libraries end a process that gets no more memory, each in its own way, and how Linux does.
            throw ServiceError(
                .imageTooLarge,
                "The image takes more memory to decode than the limit, \(memory >> 20) MB (images.workerMemory)."
            )
        case .exited(let exit, _):
            throw unavailable(WorkerFailure(description: "the worker process ended: \(exit.map { "\($0)" } ?? "?")"))
        case .killed(let signal):
            throw notAnImage("signal \(signal)")
        }
    }

    private func colorModel(of head: WorkerHead) -> String {
        let deep = head.bits > 8
        return switch (head.hasAlpha, head.bands) {
        case (true, _): deep ? "nrgba64" : "nrgba"
        case (false, 1): deep ? "gray16" : "gray"
        case (false, _): deep ? "rgba64" : "rgba"
        }
    }

    private func notAnImage(_ cause: String) -> ServiceError {
        ServiceError(
            .notAnImage,
            "The file is not an image that can be read.",
            cause: WorkerFailure(description: "worker process: \(cause)")
        )
    }

    private func unavailable(_ cause: any Error) -> ServiceError {
        ServiceError(.internalFailure, "Images of this format cannot be read now.", cause: cause)
    }
}

/// An image as a worker process drew it.
package struct DecodedImage: Sendable {
    /// In pixels.
    package let size: ImageSize
    /// 3 for red, green, blue; 4 with transparency behind them, not multiplied into the colours.
    package let bands: Int
    /// Row by row from the top, one byte a channel, nothing between rows: `size.area * bands` bytes, in one piece.
    package let pixels: ArraySlice<UInt8>
}
