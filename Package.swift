// swift-tools-version: 6.2
import CompilerPluginSupport
import Foundation
import PackageDescription

/// Whether macros are built on the swift-syntax package, which has to be fetched, and not on the
/// one that the toolchain ships.
///
/// It is for a SwiftPM that refuses a version of a package whose macros have unsafe flags; that of
/// Swift 6.3 takes it.
let usesSyntaxPackage = Context.environment["DEPOT_SWIFT_SYNTAX"] == "1"

/// The toolchain's folder of the modules and libraries of swift-syntax.
///
/// The toolchain is that of `SWIFT_EXEC`, SwiftPM's own variable for the compiler, or of the first
/// `swiftc` in the PATH. A package without one sets `DEPOT_SWIFT_SYNTAX`.
let syntaxFolder: String = {
  let paths = (Context.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/swiftc" }
  let compilers = [Context.environment["SWIFT_EXEC"] ?? ""] + paths
  let compiler = compilers.first(where: FileManager.default.isExecutableFile) ?? "/usr/bin/swiftc"
  return URL(fileURLWithPath: compiler).resolvingSymlinksInPath().deletingLastPathComponent()
    .deletingLastPathComponent().path + "/lib/swift/host"
}()

/// The commit of the sources, which `make` passes for release programs; otherwise empty.
let commit = (Context.environment["DEPOT_COMMIT"] ?? "").filter(\.isHexDigit)

let package = Package(
  name: "depot",
  products: [
    .library(name: "DepotClient", targets: ["DepotClient", "DepotProtocol"]),
    .library(name: "SwiftData", targets: ["SwiftData"]),
    .library(name: "DepotTesting", targets: ["DepotTesting"]),
    .executable(name: "depotd", targets: ["depotd"]),
    .executable(name: "depot", targets: ["depot"]),
  ],
  traits: [
    .trait(
      name: "Embedded",
      description: "The engine inside programs, for stores in memory and files that no service has."
    ),
    .default(enabledTraits: ["Embedded"]),
  ],
  targets: [
    .systemLibrary(name: "CDepotSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CDepotJSON", pkgConfig: "json-c"),
    .systemLibrary(name: "CDepotLinux"),
    .target(name: "CDepotProtocol"),
    .target(name: "CDepotStudio"),
    .target(
      name: "CDepotVersion",
      cSettings: commit.isEmpty ? [] : [.define("DEPOT_COMMIT", to: commit)]
    ),
    .target(name: "DepotLinux", dependencies: ["CDepotLinux"]),
    .target(name: "DepotSQLite", dependencies: ["CDepotSQLite", "DepotLinux"]),
    .target(name: "DepotPostgres", dependencies: ["DepotLinux"]),
    .target(name: "DepotProtocol", dependencies: ["DepotMacroPlugin", "CDepotVersion"]),
    .target(
      name: "DepotEngine",
      dependencies: ["DepotPostgres", "DepotSQLite", "DepotProtocol", "DepotLinux"]
    ),
    .target(name: "DepotTables", dependencies: ["DepotSQLite", "DepotProtocol", "DepotLinux"]),
    .target(
      name: "DepotServer",
      dependencies: [
        "DepotEngine", "DepotTables", "DepotProtocol", "DepotLinux", "CDepotProtocol",
      ]
    ),
    .target(
      name: "DepotClientCore",
      dependencies: ["DepotProtocol", "DepotLinux", "DepotMacroPlugin"]
    ),
    .target(name: "DepotClient", dependencies: ["DepotClientCore", "DepotProtocol"]),
    .target(
      name: "DepotEmbedded",
      dependencies: [
        .target(name: "DepotServer", condition: .when(traits: ["Embedded"])),
        "DepotClientCore", "DepotProtocol", "DepotLinux",
      ]
    ),
    .target(name: "DepotMacros"),
    .macro(name: "DepotMacroPlugin", dependencies: ["DepotMacros"]),
    .target(
      name: "SwiftData",
      dependencies: [
        "DepotClient", "DepotClientCore", "DepotEmbedded", "DepotProtocol", "DepotLinux",
        "DepotMacroPlugin",
      ]
    ),
    .target(
      name: "DepotTesting",
      dependencies: ["SwiftData", "DepotClient", "DepotEmbedded", "DepotProtocol", "DepotLinux"]
    ),
    .executableTarget(name: "depotd", dependencies: ["DepotServer"], exclude: ["Packaging"]),
    .target(
      name: "DepotStudio",
      dependencies: ["CDepotStudio", "DepotProtocol", "DepotLinux"],
      exclude: ["Page"]
    ),
    .target(
      name: "DepotCommands",
      dependencies: ["DepotClientCore", "DepotStudio", "DepotProtocol", "DepotLinux"]
    ),
    .executableTarget(name: "depot", dependencies: ["DepotCommands"]),
    .executableTarget(
      name: "depot-demo",
      dependencies: ["DepotClient", "DepotProtocol", "DepotLinux"]
    ),
    .executableTarget(
      name: "depot-bench",
      dependencies: ["DepotClient", "DepotProtocol", "DepotSQLite", "DepotLinux", "SwiftData"],
      exclude: ["Counts.md"]
    ),
    .executableTarget(
      name: "example-users",
      dependencies: ["SwiftData"],
      path: "Sources/Examples/Users"
    ),
    .executableTarget(
      name: "example-repository",
      dependencies: ["SwiftData"],
      path: "Sources/Examples/Repository"
    ),
    .executableTarget(
      name: "example-trips",
      dependencies: ["SwiftData"],
      path: "Sources/Examples/Trips"
    ),
    .executableTarget(
      name: "example-to-do",
      dependencies: ["SwiftData"],
      path: "Sources/Examples/ToDo"
    ),
    .executableTarget(
      name: "example-library",
      dependencies: ["SwiftData"],
      path: "Sources/Examples/Library"
    ),
    .executableTarget(
      name: "store-user",
      dependencies: ["DepotEmbedded", "DepotClient", "DepotProtocol", "DepotLinux"],
      path: "Tests/StoreUser"
    ),
    .executableTarget(
      name: "library-user",
      dependencies: ["SwiftData"],
      path: "Tests/LibraryUser"
    ),
    .target(
      name: "TestSupport",
      dependencies: ["DepotProtocol", "DepotLinux"],
      path: "Tests/Support"
    ),
    .testTarget(
      name: "DepotProtocolTests",
      dependencies: ["DepotProtocol", "DepotMacros", "CDepotJSON", "TestSupport"]
    ),
    .testTarget(
      name: "DepotEngineTests",
      dependencies: [
        "DepotEmbedded", "DepotServer", "DepotEngine", "DepotPostgres", "DepotSQLite",
        "DepotClient", "DepotProtocol", "DepotLinux", "store-user", "TestSupport",
      ]
    ),
    .testTarget(
      name: "DepotClientTests",
      dependencies: [
        "DepotClient", "DepotClientCore", "DepotProtocol", "DepotLinux", "TestSupport",
      ]
    ),
    .testTarget(
      name: "DepotCommandsTests",
      dependencies: [
        "DepotCommands", "DepotStudio", "DepotClientCore", "DepotProtocol", "DepotLinux",
        "TestSupport",
      ]
    ),
    .testTarget(
      name: "SwiftDataTests",
      dependencies: [
        "DepotTesting", "SwiftData", "DepotClient", "DepotProtocol", "DepotLinux", "TestSupport",
      ],
      exclude: ["API/swiftdata.txt"]
    ),
    .testTarget(name: "AppleCodeTests", dependencies: ["SwiftData"]),
    .testTarget(
      name: "ServiceTests",
      dependencies: ["DepotClient", "DepotProtocol", "DepotLinux", "TestSupport"]
    ),
    .testTarget(
      name: "FaultTests",
      dependencies: [
        "DepotClient", "DepotEngine", "DepotProtocol", "DepotSQLite", "DepotLinux", "TestSupport",
      ]
    ),
    .testTarget(name: "RulesTests", dependencies: ["TestSupport"]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu2x
)

// With DEPOT_ONLY the package is the programs that it names and the targets that they need, so that one
// build makes several products; SwiftPM's own option takes a single one.
if let programs = Context.environment["DEPOT_ONLY"] {
  var needed: Set<String> = []
  var names = programs.split(separator: " ").map(String.init)
  while let name = names.popLast() {
    guard needed.insert(name).inserted else { continue }
    for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): names.append(name)
      default: break
      }
    }
  }
  package.products.removeAll { !needed.contains($0.name) }
  package.targets.removeAll { !needed.contains($0.name) }
}

// Code as users write it, with the settings that SwiftPM gives it.
let plain = package.targets.filter {
  $0.name == "AppleCodeTests" || $0.name.hasPrefix("example-")
}.map(\.name)

for target in package.targets
where !target.name.hasPrefix("CDepot") && !plain.contains(target.name) {
  target.swiftSettings = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
}

// The targets that DEPOT_OPTIMIZED names are optimized in debug builds too.
for name in (Context.environment["DEPOT_OPTIMIZED"] ?? "").split(separator: " ") {
  package.targets.first { $0.name == name }?.swiftSettings?
    .append(.unsafeFlags(["-Osize"], .when(configuration: .debug)))
}

for target in package.targets
where target.name.hasPrefix("DepotMacro") || target.name == "DepotProtocolTests" {
  if usesSyntaxPackage {
    target.swiftSettings?.append(.define("DEPOT_SWIFT_SYNTAX"))
    target.dependencies += [
      "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder",
      "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros",
    ].map { .product(name: $0, package: "swift-syntax") }
  } else {
    // Every module waits for the plugin, and compiling it takes five times as long with optimization.
    target.swiftSettings? += [
      .unsafeFlags(["-I", syntaxFolder]),
      .unsafeFlags(["-Onone"], .when(configuration: .release)),
    ]
    target.linkerSettings = [
      .unsafeFlags(["-L", syntaxFolder, "-Xlinker", "-rpath", "-Xlinker", syntaxFolder])
    ]
  }
}

if usesSyntaxPackage {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-syntax.git", "602.0.0"..<"605.0.0")
  )
}
