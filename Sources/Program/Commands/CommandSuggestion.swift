internal import ArgumentParser

/// The command that the user probably meant.
enum CommandSuggestion {
    /// A sentence such as "Did you mean 'lcfile upload'?", if the arguments name a command that does not exist but
    /// resembles one; ArgumentParser suggests only the options that a command declares.
    static func sentence(for arguments: [String], of root: any ParsableCommand.Type) -> String? {
        var command = root
        var path = [root.lcfileName]
        for word in arguments {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, word != "help" else { return nil }
            guard !word.hasPrefix("-") else {
                return closest(to: word, in: ["--version", "--help"]).map { "Did you mean 'lcfile \($0)'?" }
            }
            if let known = commands.first(where: { $0.lcfileName == word }) {
                command = known
                path.append(word)
                continue
            }
            let names = commands.map { $0.lcfileName } + ["help"]
            return closest(to: word, in: names).map { "Did you mean '\((path + [$0]).joined(separator: " "))'?" }
        }
        return nil
    }

    /// The candidate with the smallest number of changes, if that is at most 2 and less than half of the word; the
    /// first of equal ones.
    static func closest(to word: String, in candidates: [String]) -> String? {
        let limit = min(2, (word.count - 1) / 2)
        let distances = candidates.map { ($0, distance(Array(word.lowercased()), Array($0))) }
        return distances.filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
    }

    /// The number of characters to insert, delete, replace or swap with their neighbour (optimal string alignment).
    private static func distance(_ from: [Character], _ to: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...to.count)
        for row in from.indices {
            var current = [row + 1]
            for column in to.indices {
                var best = min(last[column + 1] + 1, current[column] + 1)
                best = min(best, last[column] + (from[row] == to[column] ? 0 : 1))
                if row > 0, column > 0, from[row] == to[column - 1], from[row - 1] == to[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[to.count]
    }
}

extension ParsableCommand {
    /// The name that the configuration gives; ArgumentParser derives others from the type's name.
    fileprivate static var lcfileName: String {
        configuration.commandName ?? "\(Self.self)".lowercased()
    }
}
