internal import Commands
internal import VipsMedia

@main
enum LCFile {
    static func main() async {
        // First of all: a worker process must drop its rights while it has a single thread.
        if CommandLine.arguments.dropFirst().first == ImageWorker.command {
            ImageWorker.run(Array(CommandLine.arguments.dropFirst(2)))
        }
        await LCFileCommand.run(Array(CommandLine.arguments.dropFirst()))
    }
}
