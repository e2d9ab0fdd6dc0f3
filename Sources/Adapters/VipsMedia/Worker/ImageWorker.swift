internal import CVips
internal import Confinement
internal import Domain
internal import Glibc

/// The disposable process that decodes one SVG, PDF, JPEG XL, JPEG 2000, HEIC, AVIF or TIFF image and ends.
///
/// The libraries of the first four are not fuzzed upstream, that of HEIC and AVIF has no bound on memory and time, and
/// a TIFF can contain tiles of JPEG 2000 or of any size, and pages for which libvips 8.14 writes past a table: all are
/// assumed to be exploitable. This process drops its rights (``Confinement``) before they read a byte, and the server
/// checks everything that it returns.
/// Standard input is the image, standard output gets a ``WorkerHead`` and optionally pixels, the exit status is a
/// ``WorkerExit``.
package enum ImageWorker {
    /// The first argument of a worker process.
    package static let command = "image-worker"

    /// Runs the task in the arguments after ``command`` and ends the process.
    ///
    /// Must be called before any thread is created: existing threads cannot be confined, and the worker then refuses to
    /// run.
    package static func run(_ arguments: [String]) -> Never {
        // Not exit(3): the exit handlers of libraries are not needed.
        _exit(perform(arguments).rawValue)
    }

    private static func perform(_ arguments: [String]) -> WorkerExit {
        guard let task = WorkerTask(arguments: arguments) else { return .misused }
        let former = peakMemory
        ThreadPriority.lower(to: ThreadPriority.workers(task.priority))
        do {
            try Confinement.enter(memory: task.memory, seconds: task.seconds, files: .librariesAndFonts)
        } catch {
            complain("not confined, so nothing was read: \(error)")
            return .notConfined
        }
        // Standard output is only for the response: output of libraries goes to standard error.
        let output = dup(STDOUT_FILENO)
        guard output >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { return .unable }
        do {
            try WorkerLibrary.start()
        } catch {
            complain("libvips: \(error)")
            return .unable
        }
        do {
            return try answer(task, to: output)
        } catch {
            complain("\(error)")
            return isShort(of: task.memory, error, since: former) ? .outOfMemory : .notAnImage
        }
    }

    private static func answer(_ task: WorkerTask, to output: CInt) throws(VipsError) -> WorkerExit {
        let count = lseek(STDIN_FILENO, 0, SEEK_END)
        let source = VipsSourceHandle(.descriptor(STDIN_FILENO, count: max(0, count)), watch: nil)
        let image = try WorkerImage(source)
        switch task.work {
        case .header:
            return write(image.head.bytes, to: output) ? .answered : .unable
        case .metadata:
            return write(image.metadata.bytes, to: output) ? .answered : .unable
        case .decode(let size, let effort):
            guard task.allows(image.head.size), size.area <= task.pixels else { return .tooLarge }
            let pixels = try image.decoded(from: source, at: size, effort)
            let head = WorkerHead(
                format: image.head.format,
                size: pixels.size,
                bands: pixels.bands,
                hasAlpha: pixels.hasAlpha,
                bits: 8
            )
            guard write(head.bytes, to: output) else { return .unable }
            guard cvips_rawsave(pixels.pointer, output) == 0 else { throw VipsError.take("draw") }
            return .answered
        }
    }

    /// Whether decoding failed because of the memory limit.
    ///
    /// libvips reports it; for other libraries, the peak memory near the limit indicates it. The process has only one
    /// image, so the error text belongs to it, and it decides only which of two errors the client gets.
    private static func isShort(of memory: Int, _ error: VipsError, since former: Int) -> Bool {
        let peak = peakMemory
        return error.detail.contains("out of memory") || peak > former && peak > memory / 4 * 3
    }

    /// The peak memory in bytes, which at the start is that of the parent process: the kernel inherits that figure.
    private static var peakMemory: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }

    private static func write(_ bytes: [UInt8], to output: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }

    private static func complain(_ text: String) {
        let line = Array("lcfile \(command): \(text)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }
}
