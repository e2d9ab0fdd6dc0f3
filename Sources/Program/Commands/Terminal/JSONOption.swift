internal import ArgumentParser

/// The choice between a table for people and JSON for programs.
struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON, one object on each line.")
    var isOn = false
}
