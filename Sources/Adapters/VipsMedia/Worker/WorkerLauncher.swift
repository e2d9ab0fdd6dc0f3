package import Domain
internal import NIOCore
package import NIOPosix
internal import Subprocess
internal import SystemPackage

/// Starts worker processes, each for one response, and checks everything that they return.
///
/// A worker has only standard input, standard output and /dev/null as descriptors, and an environment of three
/// variables. It ends with its response, at the deadline, when the task is cancelled, when its response is too long, or
/// with the server. When a method returns, its process has ended and was reaped.
package struct WorkerLauncher: Sendable {
    // No home folder, no search path, no proxy. One arena for glibc and for jemalloc, because reserved memory counts.
    private let environment: [Environment.Key: String] = [
        "LANG": "C.UTF-8", "MALLOC_ARENA_MAX": "1", "MALLOC_CONF": "narenas:1,retain:false",
    ]
    private let executable: FilePath
    private let memory: Int
    private let limits: ImageLimits
    private let pool: NIOThreadPool
    private let headerTime: Int
    /// The processes so far.
    package let counts = WorkerCounts()

    /// Creates a launcher; starts no process.
    ///
    /// - Parameters:
    ///   - executable: A program that calls ``ImageWorker/run(_:)`` when its first argument is ``ImageWorker/command``:
    ///     by default this program.
    ///   - memory: The maximum memory of a worker in bytes.
    ///   - limits: The limits on sources, and the maximum processor time of a worker.
    ///   - pool: Threads for preparing sources; they do not wait for workers.
    ///   - headerTime: The maximum number of seconds for a header.
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

    /// Reads the header of an image; of a PDF its first page, at 72 dpi.
    ///
    /// - Parameters:
    ///   - source: The image.
    ///   - priority: The processor priority of the worker.
    /// - Returns: The header, not checked against limits.
    /// - Throws: ``ServiceError/Code/notAnImage``, ``ServiceError/Code/imageTimedOut``, `CancellationError`, or
    ///   ``ServiceError/Code/internalFailure`` if workers cannot run on this system.
    package func header(of source: ImageSource, with priority: ImagePriority) async throws -> ImageHeader {
        let deadline = ContinuousClock.now + .seconds(min(headerTime, limits.timeout))
        let answer = try await answer(to: .header, about: source, priority, atMost: WorkerHead.length, until: deadline)
        guard answer.count == WorkerHead.length, let head = WorkerHead(answer) else {
            throw notAnImage("a header of \(answer.count) bytes")
        }
        return ImageHeader(
            format: head.format,
            size: head.size,
            orientation: head.orientation ?? 1,
            hasOrientation: head.orientation != nil,
            hasAlpha: head.hasAlpha,
            bands: head.bands,
            bitsPerSample: head.bits,
            colorModel: ColorModel.name(isGray: head.bands == 1, hasAlpha: head.hasAlpha, isDeep: head.bits > 8),
            hasProfile: head.hasProfile
        )
    }

    /// Reads the EXIF of a HEIC or AVIF; that of other formats is empty.
    ///
    /// - Parameters:
    ///   - source: The image.
    ///   - priority: The processor priority of the worker.
    /// - Returns: The metadata.
    /// - Throws: As ``header(of:with:)``.
    func metadata(of source: ImageSource, with priority: ImagePriority) async throws -> WorkerMetadata {
        let deadline = ContinuousClock.now + .seconds(min(headerTime, limits.timeout))
        let most = WorkerMetadata.maxLength
        let answer = try await answer(to: .metadata, about: source, priority, atMost: most, until: deadline)
        guard let metadata = WorkerMetadata(answer) else { throw notAnImage("metadata of \(answer.count) bytes") }
        return metadata
    }

    /// Decodes an image's first page or frame to sRGB; vector formats are rendered at the target size.
    ///
    /// - Parameters:
    ///   - source: The image.
    ///   - size: The exact size of the result; another aspect ratio distorts the image.
    ///   - effort: The quality of resampling.
    ///   - priority: The processor priority of the worker.
    ///   - deadline: The time at which the worker is killed.
    /// - Returns: The pixels, `size.area` of them.
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
            // Before the deadline, a process uses less processor time than this, unless it has several threads.
            seconds: min(limits.timeout, max(1, Int(((deadline - .now) / .seconds(1)).rounded(.up)))),
            side: limits.sourceSide,
            pixels: limits.sourcePixels
        )
        let ending = try await withThrowingTaskGroup(of: Ending.self) { group in
            group.addTask { try await counts.running { try await run(task, on: input, atMost: count) } }
            group.addTask {
                try await Task.sleep(until: deadline, clock: .continuous)
                return .overdue
            }
            // Cancels the slower task: the timer stops, or the worker is killed. Both are awaited.
            defer { group.cancelAll() }
            return try await group.next() ?? .overdue
        }
        try Task.checkCancellation()
        if let failure = ending.failure { counts.count(failure) }
        return try result(of: ending)
    }

    private enum Ending {
        case exited(WorkerExit?, [UInt8])
        case killed(CInt)
        case overdue

        /// Why the process gave no response; as ``WorkerLauncher/result(of:)`` tells the client.
        var failure: WorkerCounts.Failure? {
            switch self {
            case .exited(.answered, _): nil
            case .exited(.notAnImage, _): .refused
            case .exited(.tooLarge, _): .tooLarge
            case .killed(SIGXCPU), .overdue: .timeout
            case .exited(.outOfMemory, _), .killed(SIGABRT), .killed(SIGILL), .killed(SIGTRAP), .killed(SIGKILL):
                .memory
            case .exited: .failed
            case .killed: .crashed
            }
        }
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
            counts.count(.failed)
            throw notAnImage("more than \(count) bytes")
        } catch let error as SubprocessError {
            counts.count(.failed)
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
            // Each library ends a process without memory in its own way; SIGKILL comes from Linux.
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

    private func notAnImage(_ cause: String) -> ServiceError {
        ServiceError.notAnImage(WorkerFailure(description: "worker process: \(cause)"))
    }

    private func unavailable(_ cause: any Error) -> ServiceError {
        ServiceError(.internalFailure, "Images of this format cannot be read now.", cause: cause)
    }
}

/// An image that a worker process decoded.
package struct DecodedImage: Sendable {
    /// In pixels.
    package let size: ImageSize
    /// 3 for red, green, blue; 4 with alpha, which is not premultiplied.
    package let bands: Int
    /// Rows from the top without padding, one byte for each channel: `size.area * bands` bytes.
    package let pixels: ArraySlice<UInt8>
    /// As in ``WorkerMetadata/copyright``, if the plan retains it.
    var copyright: [String: String] = [:]
}
