internal import CoreMetrics
internal import Domain

/// Counts the fetches of mirrors.
enum MirrorMetrics {
    /// Counts one fetch by its result.
    static func count(_ outcome: MirrorService.Outcome, of app: AppID) {
        Counter(
            label: "lcfile_mirror_fetches_total",
            dimensions: [("app", app.description), ("result", outcome.rawValue)]
        ).increment()
    }
}
