internal import Domain

/// The metrics of what `/ready` answers.
struct ReadinessFamilies: Sendable {
    let readiness: Readiness

    /// Every reason has a series, so that an alert sees when it ends.
    var all: [MetricFamily] {
        let obstacles = readiness.obstacles
        return [
            MetricFamily(
                .gauge,
                "lcfile_ready",
                "Whether the server can do all of its work: 1 or 0.",
                obstacles.isEmpty ? 1 : 0
            ),
            MetricFamily(
                .gauge,
                "lcfile_not_ready",
                "Reasons why the server is not ready: 1 for those that apply now, 0 for the others.",
                by: "reason",
                Readiness.Obstacle.allCases.map { ($0.rawValue, obstacles.contains($0) ? 1 : 0) }
            ),
            MetricFamily(
                .gauge,
                "lcfile_server_info",
                "Always 1; the label has the id of this start of the server, which /ready sends as X-Server-Id.",
                by: "id",
                [(readiness.serverID, 1)]
            ),
        ]
    }
}
