import Domain
import Foundation
import NIOPosix
import Support

@testable import DiskBlobs

/// Runs the body with a store of derivatives in a fresh folder, which it has counted, and the folder in which they lie.
func withStore(
    bound: Int64 = 4 << 20,
    _ body: (DiskDerivativeStore, String) async throws -> Void
) async throws {
    try await Samples.withFolder { folder in
        let store = try DiskDerivativeStore(folder: folder, bound: bound, pool: .singleton)
        await store.space.settled()
        try await body(store, "\(folder)/derivatives")
    }
}

/// The paths of all files in a folder, from there on, sorted.
func files(in folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter { path in
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(path)")
        return attributes[.type] as? FileAttributeType != .typeDirectory
    }.sorted()
}

/// The folder that a path lies in.
func parent(_ path: String) -> String {
    URL(filePath: path).deletingLastPathComponent().path
}

extension DerivativeName {
    init(_ source: String, _ request: String) {
        self.init(source: source, request: request)
    }
}
