internal import ClassifierMessages

/// A failed exchange with a classifier process; the process must be killed.
enum ProcessFailure: Error, Equatable, CustomStringConvertible {
    /// It ended; with its exit status if it exited by itself.
    case ended(ClassifierExit?)
    case overdue
    /// It wrote something else than an answer.
    case nonsense
    /// A system call failed with this error.
    case system(String, CInt)

    var description: String {
        switch self {
        case .ended(let exit): "the classifier process ended: \(exit.map { "\($0)" } ?? "killed")"
        case .overdue: "the classifier process did not answer in time"
        case .nonsense: "the classifier process answered nonsense"
        case .system(let call, let error): "\(call): error \(error)"
        }
    }
}
