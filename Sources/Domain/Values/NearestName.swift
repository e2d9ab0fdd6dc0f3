extension Sequence<String> {
    /// The most similar name, which was probably meant; `nil` if none is similar.
    ///
    /// Similar means at most three edits (a character more, less or another), and at most half as many as characters.
    ///
    /// - Parameters:
    ///   - name: The misspelt name.
    ///   - prefix: What all names begin with; it is not compared, because it would make any two names similar.
    /// - Returns: The name, with the prefix.
    package func nearest(to name: String, behind prefix: String = "") -> String? {
        let part = name.dropFirst(name.hasPrefix(prefix) ? prefix.count : 0).lowercased()
        let found = filter { $0.hasPrefix(prefix) }
            .map { (name: $0, distance: $0.dropFirst(prefix.count).lowercased().editDistance(to: part)) }
            .min { $0.distance < $1.distance }
        guard let found, found.distance <= Swift.min(3, part.count / 2) else { return nil }
        return found.name
    }
}

extension String {
    /// The number of edits that make another string of this one (Levenshtein's distance).
    fileprivate func editDistance(to other: String) -> Int {
        let other = Array(other)
        // The distances of the characters so far to each beginning of the other string.
        var distances = Array(0...other.count)
        for (row, character) in enumerated() {
            var diagonal = row
            distances[0] = row + 1
            for column in other.indices {
                let changed = diagonal + (character == other[column] ? 0 : 1)
                diagonal = distances[column + 1]
                distances[column + 1] = Swift.min(changed, diagonal + 1, distances[column] + 1)
            }
        }
        return distances[other.count]
    }
}
