internal import COpenCV
internal import ClassifierMessages
internal import Confinement
internal import Glibc

/// The process that scores frames for the server (``ClassifierMessages``).
///
/// A program of its own, so that the server does not load OpenCV. It drops its rights before it reads a byte: OpenCV's
/// reader of models is not written for hostile files, and the server checks everything that this process returns.
@main
enum LCFileClassifier {
    /// OpenCV needs three times the bytes of the model of `make model`.
    private static let memory = 1 << 30
    /// Scoring images must never delay a request.
    private static let niceness: CInt = 15

    static func main() {
        // Not exit(3): the exit handlers of libraries are not needed.
        _exit(run().rawValue)
    }

    private static func run() -> ClassifierExit {
        var status = stat()
        guard CommandLine.arguments.count == 1, fstat(ClassifierMessages.model, &status) == 0 else {
            complain("lcfile starts this program with a model at descriptor \(ClassifierMessages.model)")
            return .misused
        }
        // Raising the niceness needs no permission, so the result is ignored.
        _ = setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, niceness)
        do {
            try Confinement.enter(memory: memory, seconds: nil, files: .none)
        } catch {
            complain("not confined, so nothing was read: \(error)")
            return .notConfined
        }
        // Standard output is only for answers: output of libraries goes to standard error.
        let output = dup(STDOUT_FILENO)
        guard output >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { return .unable }
        // Without a reader, writing fails instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        // It is for the server alone, but `systemctl kill` sends it to all processes of a unit.
        signal(SIGHUP, SIG_IGN)
        copencv_use_one_thread()
        guard let model = loadModel(status) else { return .badModel }
        return serve(model, Pipe(input: STDIN_FILENO, output: output))
    }

    private static func loadModel(_ status: stat) -> OpaquePointer? {
        let size = Int(status.st_size)
        guard (1...ClassifierMessages.maxModel).contains(size) else { return nil }
        let file = Pipe(input: ClassifierMessages.model, output: -1)
        guard let bytes = file.read(size) else { return nil }
        close(ClassifierMessages.model)
        var error = [CChar](repeating: 0, count: 500)
        let model = copencv_model_new(bytes, bytes.count, &error, error.count)
        if model == nil { complain("no model: \(text(error))") }
        return model
    }

    /// Answers requests until the input ends.
    private static func serve(_ model: OpaquePointer, _ pipe: Pipe) -> ClassifierExit {
        guard pipe.write(ClassifierMessages.head(ClassifierMessages.answer, count: 0)) else { return .unable }
        var error = [CChar](repeating: 0, count: 500)
        while let head = pipe.read(ClassifierMessages.headLength) {
            guard let count = ClassifierMessages.count(in: head, after: ClassifierMessages.request),
                let pixels = pipe.read(count * ClassifierMessages.frameLength)
            else { return .badRequest }
            var scores = [Float](repeating: 0, count: count)
            for index in 0..<count {
                let status = pixels.withUnsafeBufferPointer { pixels in
                    let frame = pixels[(index * ClassifierMessages.frameLength)...]
                    return copencv_model_score(
                        model,
                        UnsafeBufferPointer(rebasing: frame).baseAddress,
                        &scores[index],
                        &error,
                        error.count
                    )
                }
                guard status == 0 else {
                    complain("no score: \(text(error))")
                    return .unable
                }
            }
            let answer = ClassifierMessages.head(ClassifierMessages.answer, count: count)
            guard pipe.write(answer + ClassifierMessages.bytes(of: scores)) else { return .unable }
        }
        return .finished
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func complain(_ text: String) {
        let line = Array("lcfile-classifier: \(text)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }
}
