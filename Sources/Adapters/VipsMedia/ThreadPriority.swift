internal import Domain
internal import Glibc

/// Lets other work of the process go first: an answer that takes a microsecond must not wait behind an image that takes
/// a second.
///
/// The niceness of a thread (setpriority(2)) decides how much of the processors it gets beside busy threads of niceness
/// 0: with 5 a third of what they get, with 10 a tenth, with 15 a thirtieth.
enum ThreadPriority {
    /// The niceness of threads for jobs of low priority; the whole process may be nicer already.
    static let images: CInt = 10
    /// The niceness of worker processes, whose computing time is not known in advance.
    ///
    /// Those for cheap jobs have 5, so that busy queries do not starve them, and one that is not as cheap as its header
    /// says takes a fraction of a processor.
    static func workers(_ priority: ImagePriority) -> CInt {
        switch priority {
        case .normal: 5
        case .low: 15
        }
    }

    /// Makes the calling thread nicer; on Linux a priority belongs to a thread, and 0 names the calling one.
    static func lower(to niceness: CInt) {
        // Only ever nicer, so nothing can refuse it that matters.
        _ = setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, niceness)
    }

    /// Whether the calling thread is one for jobs of low priority.
    static var isLow: Bool {
        getpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0) >= images
    }
}
