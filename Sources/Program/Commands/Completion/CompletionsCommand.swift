internal import ArgumentParser

struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print the script that completes commands, options and their values in a shell.",
        discussion: """
            Examples:
              lcfile completions bash > ~/.local/share/bash-completion/completions/lcfile
              lcfile completions zsh > ~/.zfunc/_lcfile  # in fpath before compinit
              lcfile completions fish > ~/.config/fish/completions/lcfile.fish
            """
    )

    /// The shells for which ArgumentParser generates a script.
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish

        var script: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: Shell

    func run() {
        Terminal.printLine(LCFileCommand.completionScript(for: shell.script))
    }
}
