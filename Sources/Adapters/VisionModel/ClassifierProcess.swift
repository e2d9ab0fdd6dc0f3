internal import CLinux
internal import ClassifierMessages
internal import Dispatch
internal import Glibc
internal import NIOCore
internal import Synchronization

/// A running classifier process and the pipes to it.
///
/// The kernel kills the process when the thread that created it ends, so that must be one that lives as long as it is
/// needed. One thread at a time exchanges messages; ``kill()`` is thread-safe.
final class ClassifierProcess: Sendable {
    private struct State {
        var hasEnded = false
        var exit: ClassifierExit?
    }

    private let id: pid_t
    /// The process's standard input and output.
    private let input: DescriptorPipe
    private let output: DescriptorPipe
    private let state = Mutex(State())
    private let reaped = DispatchSemaphore(value: 0)

    /// Without a search path and a home folder, and with the settings of OpenCV's libraries for one thread.
    private static let environment = [
        "LANG=C.UTF-8", "MALLOC_ARENA_MAX=1", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1",
        "OPENCV_OPENCL_RUNTIME=disabled", "OPENCV_LOG_LEVEL=SILENT",
    ]

    /// Starts a program; it is ready only after its first answer.
    ///
    /// - Parameters:
    ///   - program: The path of the program.
    ///   - model: A descriptor of the model, which the process gets a copy of.
    /// - Throws: ``ProcessFailure/system(_:_:)``.
    init(program: String, model: CInt) throws(ProcessFailure) {
        input = try DescriptorPipe()
        output = try DescriptorPipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Above the number that it gets in the process: a copy of a descriptor to itself would be closed there.
        let source = fcntl(model, F_DUPFD_CLOEXEC, ClassifierMessages.model + 1)
        guard source >= 0 else { throw .system("fcntl", errno) }
        defer { close(source) }
        posix_spawn_file_actions_adddup2(&actions, input.reading, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output.writing, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, source, ClassifierMessages.model)
        clinux_close_from(&actions, ClassifierMessages.model + 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The server ignores or blocks some signals, and programs inherit that.
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var id = pid_t()
        let status = withCStrings([program]) { arguments in
            withCStrings(Self.environment) { environment in
                posix_spawn(&id, program, &actions, &attributes, arguments, environment)
            }
        }
        guard status == 0 else { throw .system("posix_spawn", status) }
        self.id = id
        input.closeReading()
        output.closeWriting()
    }

    /// Waits until the process has ended, and releases what the kernel holds for it; must be called once, on a thread
    /// that can block as long.
    func reap() {
        var information = siginfo_t()
        // Without reaping, so that the id stays this process's while others can still send it a signal.
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        state.withLock { state in
            var status: CInt = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            state.hasEnded = true
            state.exit = status & 0x7f == 0 ? ClassifierExit(rawValue: status >> 8 & 0xff) : nil
        }
        reaped.signal()
    }

    /// Whether the process has ended.
    var hasEnded: Bool { state.withLock(\.hasEnded) }

    /// Ends the process.
    func kill() {
        state.withLock { if !$0.hasEnded { _ = Glibc.kill(id, SIGKILL) } }
    }

    /// Waits for the first answer.
    func waitUntilReady(by deadline: ContinuousClock.Instant) throws(ProcessFailure) {
        _ = try answer(of: 0, by: deadline)
    }

    /// The scores of frames of ``ClassifierMessages/frameLength`` bytes.
    func scores(
        of frames: ArraySlice<ByteBuffer>,
        by deadline: ContinuousClock.Instant
    ) throws(ProcessFailure) -> [Float] {
        do throws(ProcessFailure) {
            try input.write(ClassifierMessages.head(ClassifierMessages.request, count: frames.count), by: deadline)
            for frame in frames { try input.write(Array(frame.readableBytesView), by: deadline) }
            return try answer(of: frames.count, by: deadline)
        } catch {
            throw cause(of: error)
        }
    }

    private func answer(of count: Int, by deadline: ContinuousClock.Instant) throws(ProcessFailure) -> [Float] {
        do throws(ProcessFailure) {
            let head = try output.read(ClassifierMessages.headLength, by: deadline)
            guard ClassifierMessages.count(in: head, after: ClassifierMessages.answer) == count,
                let scores = ClassifierMessages.scores(in: try output.read(4 * count, by: deadline))
            else { throw ProcessFailure.nonsense }
            return scores
        } catch {
            throw cause(of: error)
        }
    }

    /// The failure with the exit status, for a process that closed its end of a pipe.
    private func cause(of failure: ProcessFailure) -> ProcessFailure {
        guard case .ended = failure else { return failure }
        // It has ended, or it only closed the pipe.
        kill()
        reaped.wait()
        reaped.signal()
        return .ended(state.withLock(\.exit))
    }
}

/// Calls the body with strings as C takes them: pointers, and a null pointer at the end.
private func withCStrings<Result>(
    _ strings: [String],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
}
