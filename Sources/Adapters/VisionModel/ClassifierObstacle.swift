/// Why the classifier cannot be used; the description is for people and names no path.
enum ClassifierObstacle: Error, Equatable, CustomStringConvertible {
    case noModel
    case damagedModel
    case noProgram
    case notConfined
    case unreadableModel
    /// The program ended or said nonsense before it was ready.
    case notStarted
    case closed

    var description: String {
        switch self {
        case .noModel:
            "The classifier has no model (censorship.model): `make model` fetches it; "
                + "the package lcfile-classifier has it."
        case .damagedModel:
            "The classifier's model (censorship.model) is damaged: its SHA-256 is not that of the known model."
        case .noProgram:
            "The classifier's program, lcfile-classifier (censorship.classifier), cannot be executed; "
                + "`make model` builds it; the package lcfile-classifier has it."
        case .notConfined: "The classifier does not run, because this system cannot confine its process."
        case .unreadableModel: "The classifier's model (censorship.model) is not a network that OpenCV can read."
        case .notStarted: "The classifier's process does not start."
        case .closed: "The classifier was stopped."
        }
    }
}
