// swift-tools-version: 6.2
import PackageDescription

// Each target is in the folder of its layer, from the bottom up: System, Domain, Adapters, Interface, Program. Who may
// import whom beyond what is declared here (NIO, Foundation, a C module) is the table in scripts/check-imports.

// `make test` sets LCFILE_WARNINGS, so that a new compiler's new warning stops a change but never a user's build.
let strictness: [SwiftSetting] =
    Context.environment["LCFILE_WARNINGS"] == "errors" ? [.treatAllWarnings(as: .error)] : []

// The commit that `lcfile --version` names. `make build` sets it: SwiftPM caches this file's result, and with it the
// commit of Context.gitInformation, so that a later build would name an earlier commit.
let commit = Context.environment["LCFILE_COMMIT"].flatMap { text in
    !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-+.".contains($0)) } ? text : nil
}

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + strictness

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHTTPTypesHTTP2 = Target.Dependency.product(name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioHTTPTypesHTTP1 = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let swiftProtobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

/// A module map and fixed-argument shims for the C library that `package` names for pkg-config and `debian` for apt.
func cModule(_ name: String, package: String? = nil, debian: String? = nil) -> Target {
    .systemLibrary(
        name: name,
        path: "Sources/System/\(name)",
        pkgConfig: package,
        providers: debian.map { [.apt([$0])] }
    )
}

/// A Swift target in a folder of its layer.
func library(_ name: String, in layer: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)", swiftSettings: settings)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.target(name: name), "Support"] + dependencies,
        exclude: exclude,
        swiftSettings: settings
    )
}

let package = Package(
    name: "lcfile",
    products: [
        .executable(name: "lcfile", targets: ["lcfile"]),
        .executable(name: "lcfile-classifier", targets: ["lcfile-classifier"]),
        .library(name: "FileClient", targets: ["FileClient"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        // MARK: System: the C libraries, and libcurl's easy handle for the two targets that are clients of HTTP
        cModule("CVips", package: "vips", debian: "libvips-dev"),
        cModule("CTurboJPEG", package: "libturbojpeg", debian: "libturbojpeg0-dev"),
        cModule("CJPEG", package: "libjpeg", debian: "libjpeg62-turbo-dev"),
        cModule("CZimg", package: "zimg", debian: "libzimg-dev"),
        cModule("CCurl", package: "libcurl", debian: "libcurl4-openssl-dev"),
        cModule("CMagic", package: "libmagic", debian: "libmagic-dev"),
        cModule("CPCRE", package: "libpcre2-8", debian: "libpcre2-dev"),
        cModule("CCrypt", package: "libcrypt", debian: "libcrypt-dev"),
        cModule("CPostgres", package: "libpq", debian: "libpq-dev"),
        cModule("CSQLite", package: "sqlite3", debian: "libsqlite3-dev"),
        cModule("CZlib", package: "zlib", debian: "zlib1g-dev"),
        cModule("CZstd", debian: "libzstd-dev"),
        cModule("CArchive", package: "libarchive", debian: "libarchive-dev"),
        cModule("CJemalloc", package: "jemalloc", debian: "libjemalloc-dev"),
        cModule("CLinux"),
        // Compiled again for each commit that a build names, without any other target.
        .target(
            name: "CBuild",
            path: "Sources/System/CBuild",
            cSettings: commit.map { [.define("LCFILE_COMMIT", to: "\"\($0)\"")] } ?? []
        ),
        library("Curl", in: "System", ["CCurl"]),
        library("S3", in: "System", ["Curl", crypto]),
        library("Confinement", in: "System", ["CLinux"]),
        library("ClassifierMessages", in: "System", []),
        // Only lcfile-classifier links OpenCV, so the server needs neither its headers nor its libraries.
        .target(
            name: "COpenCV",
            path: "Sources/System/COpenCV",
            cxxSettings: [.unsafeFlags(["-isystem", "/usr/include/opencv4"])],
            linkerSettings: [.linkedLibrary("opencv_dnn"), .linkedLibrary("opencv_core")]
        ),

        // MARK: Domain: rules, services and the ports they need
        .target(name: "Domain", dependencies: [nioCore, crypto, logging], swiftSettings: settings),

        // MARK: Adapters: each implements ports of Domain and knows no other adapter
        library("SQLiteStore", in: "Adapters", ["Domain", "CSQLite", "CZlib", grdb, grdbSQLite, nioPosix]),
        library("PostgresStore", in: "Adapters", ["Domain", "CPostgres", logging, nioPosix]),
        library("DiskBlobs", in: "Adapters", ["Domain", "CLinux", "CZlib", nioCore, nioPosix, crypto]),
        library(
            "VipsMedia",
            in: "Adapters",
            [
                "Domain", "CVips", "CTurboJPEG", "CJPEG", "CZimg", "CLinux", "Confinement",
                nioCore, nioPosix, subprocess, systemPackage,
            ]
        ),
        library("VisionModel", in: "Adapters", ["Domain", "CLinux", "ClassifierMessages", crypto, nioCore, nioPosix]),
        library("PCREPatterns", in: "Adapters", ["Domain", "CPCRE"]),
        library("PasswordHashes", in: "Adapters", ["Domain", "CCrypt", crypto, cryptoExtras, nioPosix]),
        library("CurlFetch", in: "Adapters", ["Domain", "Curl", logging, nioCore, nioPosix]),
        library("CurlMail", in: "Adapters", ["Domain", "Curl", nioPosix]),
        library("S3Backups", in: "Adapters", ["Domain", "S3"]),
        library("S3Blobs", in: "Adapters", ["Domain", "S3", "CZlib", crypto, nioCore, nioPosix]),
        library("MagicTypes", in: "Adapters", ["Domain", "CMagic", nioCore, nioPosix]),

        // MARK: Interface: HTTP, and the messages of WebSockets
        .target(
            name: "RealtimeMessages",
            dependencies: ["Domain", swiftProtobuf],
            path: "Sources/Interface/RealtimeMessages",
            exclude: ["Wire/commands.proto"],
            swiftSettings: settings
        ),
        library(
            "HTTPAPI",
            in: "Interface",
            [
                "Domain", "RealtimeMessages", "CZlib", "CZstd", hummingbird, hummingbirdCore, httpTypes, crypto,
                logging, coreMetrics, nioCore, nioPosix, nioHPACK, nioHTTP1, nioHTTP2, nioHTTPTypes,
                nioHTTPTypesHTTP1, nioHTTPTypesHTTP2, nioTLS, nioWebSocket,
            ]
        ),

        // The site of the console as bytes of the binary; the compiler reads the files of the folder Site.
        .target(name: "ConsoleSite", path: "Sources/Interface/ConsoleSite", exclude: ["Site"]),
        library(
            "Console",
            in: "Interface",
            ["Domain", "HTTPAPI", "ConsoleSite", crypto, hummingbird, hummingbirdCore, httpTypes, logging, nioCore]
        ),

        // MARK: Program: construction and the command line
        library(
            "Server",
            in: "Program",
            [
                "Domain", "SQLiteStore", "PostgresStore", "DiskBlobs", "VipsMedia", "MagicTypes", "PCREPatterns",
                "PasswordHashes", "CurlFetch", "CurlMail", "S3", "S3Backups", "S3Blobs", "VisionModel", "HTTPAPI",
                "Console", "Storage", "CBuild", "CJemalloc", hummingbird, hummingbirdCore, httpTypes, configuration,
                yams, logging, coreMetrics, nioCore, nioPosix, nioSSL, serviceLifecycle, unixSignals,
            ]
        ),
        library("Storage", in: "Program", ["Domain", crypto]),
        library(
            "Doctor",
            in: "Program",
            [
                "Domain", "SQLiteStore", "PostgresStore", "HTTPAPI", "Server", "Storage", "S3", "Curl", "CLinux",
                "Confinement",
            ]
        ),
        library("FileClient", in: "Program", ["Curl", crypto]),
        library("Migration", in: "Program", ["FileClient", "CArchive", grdb, crypto]),
        library(
            "Commands",
            in: "Program",
            ["Server", "Storage", "Doctor", "FileClient", "Migration", argumentParser, yams, crypto]
        ),
        .executableTarget(
            name: "lcfile",
            dependencies: ["Commands", "VipsMedia"],
            path: "Sources/Program/lcfile",
            swiftSettings: settings
        ),

        .executableTarget(
            name: "lcfile-classifier",
            dependencies: ["COpenCV", "ClassifierMessages", "Confinement"],
            path: "Sources/Program/lcfile-classifier",
            swiftSettings: settings
        ),

        // MARK: Benchmarks: nothing depends on them
        .executableTarget(
            name: "StoreBenchmark",
            dependencies: ["Domain", "SQLiteStore", "PostgresStore", "CPostgres", grdb],
            path: "Benchmarks/Store",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "BareHummingbird",
            dependencies: [hummingbird, logging],
            path: "Benchmarks/BareHummingbird",
            swiftSettings: settings
        ),

        // MARK: Tests mirror the sources
        .target(
            name: "Support",
            dependencies: ["Domain", "PCREPatterns", nioCore, crypto],
            path: "Tests/Support",
            exclude: ["Images", "Cases"],
            swiftSettings: settings
        ),
        tests(of: "Domain", ["PCREPatterns"]),
        tests(of: "SQLiteStore", ["DiskBlobs", grdb, "PCREPatterns", crypto, nioPosix], exclude: ["Fixtures"]),
        tests(of: "PostgresStore", ["SQLiteStore", "PCREPatterns", crypto, grdb, logging, nioPosix]),
        tests(of: "DiskBlobs", [nioPosix]),
        tests(of: "Curl"),
        tests(of: "S3", [crypto]),
        tests(of: "S3Backups", ["S3", "Domain"]),
        tests(of: "S3Blobs", ["S3", "Domain", "DiskBlobs", crypto, logging, nioCore, nioPosix]),
        tests(of: "Confinement"),
        tests(of: "VipsMedia", [nioPosix]),
        tests(
            of: "VisionModel",
            ["ClassifierMessages", "Domain", "VipsMedia", "lcfile-classifier", nioCore, nioPosix]
        ),
        tests(of: "MagicTypes", [nioPosix]),
        tests(of: "PCREPatterns"),
        tests(of: "PasswordHashes", [nioPosix]),
        tests(of: "RealtimeMessages", ["Domain"]),
        tests(of: "HTTPAPI", ["CZlib", "CZstd", "PCREPatterns", nioEmbedded]),
        tests(of: "Console", ["Domain", "HTTPAPI", hummingbird, hummingbirdCore, httpTypes, logging, nioEmbedded]),
        tests(of: "Storage", ["Domain"]),
        tests(of: "Doctor", ["SQLiteStore", "PostgresStore"]),
        tests(
            of: "Server",
            [
                "Storage", "Domain", "HTTPAPI", "Console", "SQLiteStore", "DiskBlobs", "CurlMail", "S3", "CJemalloc",
                coreMetrics, logging, nioCore, nioPosix, serviceLifecycle, unixSignals,
            ]
        ),
        tests(of: "CurlFetch", [logging, nioCore, nioPosix]),
        tests(of: "CurlMail", ["Domain", nioCore, nioPosix]),
        tests(of: "FileClient"),
        tests(of: "Migration", ["FileClient"]),
        tests(of: "Commands", ["FileClient", "Migration", "Server", "Storage", argumentParser]),
    ],
    swiftLanguageModes: [.v6]
)
