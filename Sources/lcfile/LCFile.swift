internal import ArgumentParser
internal import Commands

@main
enum LCFile {
    static func main() async { await LCFileCommand.main() }
}
