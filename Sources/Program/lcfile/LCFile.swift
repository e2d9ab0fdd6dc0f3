internal import ArgumentParser
internal import Commands
internal import VipsMedia

@main
enum LCFile {
    static func main() async {
        // Before anything else: a worker gives its rights away while it is a single thread.
        if CommandLine.arguments.dropFirst().first == ImageWorker.command {
            ImageWorker.run(Array(CommandLine.arguments.dropFirst(2)))
        }
        await LCFileCommand.main()
    }
}
