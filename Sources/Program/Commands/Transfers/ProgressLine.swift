/// The line that shows progress.
enum ProgressLine {
    /// The line for a terminal with that many columns.
    ///
    /// - Parameters:
    ///   - progress: The progress.
    ///   - rate: Bytes per second; 0 if it is not known yet.
    ///   - width: The number of columns of the terminal; the line is shorter, because terminals differ in what the last
    ///     column does.
    ///   - style: For the number of failures.
    /// - Returns: Such as `[=====>    ] 52%  1.20 GiB / 2.31 GiB  35.1 MiB/s  ETA 0:32  3/10 files  photo.jpg`.
    static func text(_ progress: TransferProgress.Snapshot, rate: Double, width: Int, style: Style) -> String {
        var parts: [String] = []
        if let size = progress.size, size > 0 {
            let share = min(1, Double(progress.bytes) / Double(size))
            let bar = width >= 100 ? bar(share) + " " : ""
            parts.append("\(bar)\(percent(share))")
            parts.append("\(Amount.bytes(progress.bytes)) / \(Amount.bytes(size))")
        } else {
            parts.append(Amount.bytes(progress.bytes))
        }
        if rate > 0 {
            parts.append(Amount.rate(rate))
            if let size = progress.size {
                parts.append("ETA " + Amount.time(Double(max(0, size - progress.bytes)) / rate))
            }
        }
        if progress.files > 1 { parts.append("\(progress.done)/\(progress.files) \(progress.noun)s") }
        if progress.files == 0 { parts.append(Amount.count(progress.done, progress.noun)) }
        let failed = progress.failed > 0 ? "\(progress.failed) failed" : ""
        let line = (parts + (failed.isEmpty ? [] : [failed])).joined(separator: "  ")
        let rest = width - 1 - Columns.count(line) - 2
        let name = rest >= 8 ? Columns.shortened(Terminal.printable(progress.current ?? ""), to: rest) : ""
        let text = Columns.shortened(name.isEmpty ? line : "\(line)  \(name)", to: max(0, width - 1))
        guard !failed.isEmpty, let range = text.range(of: failed, after: parts) else { return text }
        return text[..<range.lowerBound] + style.red(failed) + text[range.upperBound...]
    }

    private static func percent(_ share: Double) -> String {
        // 100% only when everything is done.
        let text = "\(Int(share * 100))%"
        return String(repeating: " ", count: 4 - text.count) + text
    }

    private static func bar(_ share: Double) -> String {
        let width = 20
        let filled = Int(share * Double(width))
        let head = filled < width ? ">" : ""
        return "[" + String(repeating: "=", count: filled) + head
            + String(repeating: " ", count: width - filled - head.count) + "]"
    }
}

extension String {
    /// The range of a part of a progress line, behind the parts before it; `nil` if it was cut off.
    fileprivate func range(of text: String, after parts: [String]) -> Range<Index>? {
        let before = parts.joined(separator: "  ").count + 2
        guard let start = index(startIndex, offsetBy: before, limitedBy: endIndex),
            let end = index(start, offsetBy: text.count, limitedBy: endIndex), self[start..<end] == text
        else { return nil }
        return start..<end
    }
}
