internal import Glibc

/// Lets everything else in the process go first: an answer that takes a microsecond must not wait behind a picture that
/// takes a second.
enum ThreadPriority {
    /// How nice threads of images are; the whole process may be nicer already.
    static let images: CInt = 10
    /// How nice worker processes are: nobody knows before how much they compute.
    static let workers: CInt = 15

    /// Makes the calling thread nicer; on Linux a priority belongs to a thread, and 0 names the calling one.
    static func lower(to niceness: CInt) {
        // Only ever nicer, so nothing can refuse it that matters.
        _ = setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, niceness)
    }
}
