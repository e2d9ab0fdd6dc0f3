/// The files of several places, one place after the other.
package struct FileSources: ItemSource {
    /// One place of an import.
    package enum Place: Sendable, Hashable {
        /// A folder with everything in it.
        case folder(String)
        /// A file or a URL.
        case file(String)
        /// Lines of paths and URLs, from a descriptor.
        case list(descriptor: CInt)
        /// A manifest.
        case manifest(String)
    }

    private var places: ArraySlice<Place>
    private let rules: PathRules
    private let template: FileTemplate
    private var current: (any ItemSource<FileItem>)?

    /// Opens nothing yet.
    package init(_ places: [Place], _ rules: PathRules, _ template: FileTemplate) {
        self.places = places[...]
        self.rules = rules
        self.template = template
    }

    /// The next file.
    package mutating func next() throws -> SourceElement<FileItem>? {
        while true {
            if var source = current {
                let element = try source.next()
                current = element == nil ? nil : source
                if element != nil { return element }
            }
            guard let place = places.popFirst() else { return nil }
            switch place {
            case .folder(let path): current = FolderWalk(path, rules, template)
            case .list(let descriptor): current = PathList(descriptor: descriptor, template)
            case .manifest(let path): current = try FileManifest(path, template)
            case .file(let place): return FileItem.element(at: place, describedBy: template)
            }
        }
    }
}
