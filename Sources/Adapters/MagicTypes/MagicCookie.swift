internal import CMagic
internal import NIOCore

/// An open libmagic database.
///
/// A cookie has state and is not thread-safe, so a lock protects it. Results are copied before the next call overwrites
/// them.
struct MagicCookie: ~Copyable {
    /// The tests that a cookie runs.
    enum Tests {
        /// All of them.
        case all
        /// Those of binary formats: the rules for text are regular expressions, which take a millisecond for each few KB.
        case binary

        fileprivate var flags: CInt {
            switch self {
            case .all: 0
            case .binary: MAGIC_NO_CHECK_TEXT | MAGIC_NO_CHECK_ENCODING | MAGIC_NO_CHECK_JSON | MAGIC_NO_CHECK_CSV
            }
        }
    }

    private let pointer: magic_t

    /// Loads the system's compiled database, whose pages all cookies share.
    init(_ tests: Tests) throws(MagicError) {
        guard let pointer = magic_open(MAGIC_MIME_TYPE | MAGIC_ERROR | tests.flags) else {
            throw MagicError(operation: "magic_open", detail: "out of memory")
        }
        guard magic_load(pointer, nil) == 0 else {
            let detail = magic_error(pointer).map { String(cString: $0) } ?? ""
            magic_close(pointer)
            throw MagicError(operation: "magic_load", detail: detail)
        }
        self.pointer = pointer
    }

    deinit {
        magic_close(pointer)
    }

    /// The media type that libmagic detects in the bytes.
    func type(of bytes: UnsafeRawBufferPointer) throws(MagicError) -> String {
        guard let answer = magic_buffer(pointer, bytes.baseAddress, bytes.count) else {
            throw MagicError(operation: "magic_buffer", detail: magic_error(pointer).map { String(cString: $0) } ?? "")
        }
        return String(cString: answer)
    }
}

/// A failed call of libmagic; the detail is for logs only.
struct MagicError: Error {
    let operation: String
    let detail: String
}
