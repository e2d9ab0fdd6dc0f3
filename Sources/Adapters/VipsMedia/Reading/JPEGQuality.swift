/// Estimates the IJG quality from quantization tables.
///
/// The IJG's library scales the example tables of ITU-T T.81 (annex K.1) by the quality; larger steps lose more. The
/// sum of the steps falls strictly with the quality, so the sum gives the exact quality of such tables, and for other
/// tables the quality that loses about as much.
enum JPEGQuality {
    /// The limit of a step, so that every decoder can read the tables.
    static let largestStep = 255

    /// The quality, 1 to 100, whose tables have the nearest sums.
    static func nearest(luminance: Int, chrominance: Int?) -> Int {
        let distances = zip(luminanceSums, chrominanceSums).map { ofLuminance, ofChrominance in
            abs(luminance + (chrominance ?? 0) - ofLuminance - (chrominance == nil ? 0 : ofChrominance))
        }
        let nearest = distances.indices.min { distances[$0] < distances[$1] }
        return (nearest ?? 0) + 1
    }

    /// The sums for the qualities from 1 to 100.
    private static let luminanceSums = (1...100).map { sum(of: luminanceSteps, quality: $0) }

    private static let chrominanceSums = (1...100).map { sum(of: chrominanceSteps, quality: $0) }

    private static func sum(of steps: [Int], quality: Int) -> Int {
        let percent = quality < 50 ? 5000 / quality : 200 - 2 * quality
        return steps.reduce(0) { $0 + min(max(($1 * percent + 50) / 100, 1), largestStep) }
    }

    private static let luminanceSteps = [
        16, 11, 10, 16, 24, 40, 51, 61,
        12, 12, 14, 19, 26, 58, 60, 55,
        14, 13, 16, 24, 40, 57, 69, 56,
        14, 17, 22, 29, 51, 87, 80, 62,
        18, 22, 37, 56, 68, 109, 103, 77,
        24, 35, 55, 64, 81, 104, 113, 92,
        49, 64, 78, 87, 103, 121, 120, 101,
        72, 92, 95, 98, 112, 100, 103, 99,
    ]

    private static let chrominanceSteps =
        [
            17, 18, 24, 47, 99, 99, 99, 99,
            18, 21, 26, 66, 99, 99, 99, 99,
            24, 26, 56, 99, 99, 99, 99, 99,
            47, 66, 99, 99, 99, 99, 99, 99,
        ] + [Int](repeating: 99, count: 32)
}
