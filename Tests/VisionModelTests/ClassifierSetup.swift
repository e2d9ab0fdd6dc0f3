import ClassifierMessages
import Domain
import FoundationEssentials
import Glibc
import NIOCore
import NIOPosix
import Support
import VipsMedia

@testable import VisionModel

/// Classifiers with the real model and program, and with others that fail.
enum ClassifierSetup {
    /// The model that `make test` downloads.
    static let model = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../models/open-nsfw.onnx").standardized.path

    /// The program that is built beside the tests.
    static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "lcfile-classifier").path

    /// A frame of one colour.
    static let frame = ByteBuffer(repeating: 128, count: ClassifierMessages.frameLength)

    /// Runs a body with a classifier, which is closed when the body returns.
    static func with<Result>(
        model: String = model,
        digest: String? = VisionClassifier.knownModel,
        program: String = program,
        workers: Int = 1,
        timing: VisionClassifier.Timing = VisionClassifier.Timing(),
        _ body: (VisionClassifier) async throws -> Result
    ) async throws -> Result {
        let classifier = VisionClassifier(
            model: model,
            digest: digest,
            program: program,
            workers: workers,
            timing: timing
        )
        do {
            let result = try await body(classifier)
            await classifier.close()
            return result
        } catch {
            await classifier.close()
            throw error
        }
    }

    /// Runs a body with a classifier whose program is a shell script.
    static func with<Result>(
        script: String,
        timing: VisionClassifier.Timing = VisionClassifier.Timing(),
        _ body: (VisionClassifier, String) async throws -> Result
    ) async throws -> Result {
        try await Samples.withFolder { folder in
            let path = folder + "/classifier"
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: path))
            try requireZero(chmod(path, 0o755))
            return try await with(program: path, timing: timing) { try await body($0, folder) }
        }
    }

    /// What a script writes to say that it is ready.
    static let ready = #"printf 'afcl\000\000\000\000'"#

    /// The frame of a photograph, as the server samples it.
    static func frame(of photograph: ByteBuffer) async throws -> ByteBuffer {
        let renderer = try VipsRenderer(pool: .singleton, quickPool: .singleton)
        let source = ImageSource.memory(photograph)
        let image = OpenImage(header: try await renderer.header(of: source, for: ImageRequester()), source: source)
        let samples = try await renderer.samples(
            of: image,
            frames: [0],
            with: .normal,
            until: .now + .seconds(600)
        )
        guard let sample = samples.first else { throw Broken() }
        return sample.pixels
    }

    /// The processes that this one started and that run a program of this name, also ended ones that were not reaped.
    static func processes(_ name: String = "lcfile-classifier") -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { id in
            guard let line = try? String(contentsOf: URL(filePath: "/proc/\(id)/stat"), encoding: .utf8),
                let open = line.firstIndex(of: "("), let close = line.lastIndex(of: ")")
            else { return false }
            let fields = line[close...].split(separator: " ")
            return line[line.index(after: open)..<close] == name.prefix(15) && fields.count > 2
                && fields[2] == "\(getpid())"
        }
    }

    /// Waits until a condition is true; the test's time limit bounds it.
    static func wait(until condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(5)) }
    }

    private static func requireZero(_ status: CInt) throws {
        guard status == 0 else { throw Broken() }
    }
}
