internal import ArgumentParser
internal import FoundationEssentials
internal import Server

/// The settings of a bucket that keeps backups.
struct BucketOptions: ParsableArguments {
    @Option(
        help: "The configuration file with the settings backup.s3.* of a bucket. Default: config/lcfile.yaml.",
        completion: .file(extensions: ["yaml", "yml"])
    )
    var config: String?

    /// Loads the settings; keys come from the file or from the environment, never from arguments.
    var loader: ConfigurationLoader {
        ConfigurationLoader(environment: ProcessInfo.processInfo.environment, file: config ?? Serve.defaultFile)
    }
}
