// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "depot",
  products: [
    .library(name: "DepotClient", targets: ["DepotClient", "DepotProtocol"]),
    .executable(name: "depotd", targets: ["depotd"]),
    .executable(name: "depot", targets: ["depot"]),
    .executable(name: "depot-bench", targets: ["depot-bench"]),
    .executable(name: "depot-demo", targets: ["depot-demo"]),
  ],
  targets: [
    .systemLibrary(name: "CDepotSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CDepotJSON", pkgConfig: "json-c"),
    .systemLibrary(name: "CDepotLinux"),
    .target(name: "DepotLinux", dependencies: ["CDepotLinux"]),
    .target(name: "DepotSQLite", dependencies: ["CDepotSQLite"]),
    .target(name: "DepotProtocol"),
    .target(name: "DepotEngine", dependencies: ["DepotSQLite", "DepotProtocol", "DepotLinux"]),
    .target(name: "DepotServer", dependencies: ["DepotEngine", "DepotProtocol", "DepotLinux"]),
    .target(name: "DepotClient", dependencies: ["DepotProtocol", "DepotLinux"]),
    .executableTarget(name: "depotd", dependencies: ["DepotServer"]),
    .target(name: "DepotCommands", dependencies: ["DepotClient", "DepotProtocol", "DepotLinux"]),
    .executableTarget(name: "depot", dependencies: ["DepotCommands"]),
    .executableTarget(
      name: "depot-demo",
      dependencies: ["DepotClient", "DepotProtocol", "DepotLinux"]
    ),
    .executableTarget(
      name: "depot-bench",
      dependencies: ["DepotClient", "DepotProtocol", "DepotSQLite", "DepotLinux"]
    ),
    .testTarget(name: "DepotProtocolTests", dependencies: ["DepotProtocol", "CDepotJSON"]),
    .testTarget(name: "DepotSQLiteTests", dependencies: ["DepotSQLite"]),
    .testTarget(
      name: "DepotEngineTests",
      dependencies: ["DepotEngine", "DepotProtocol", "DepotSQLite", "DepotLinux"]
    ),
    .testTarget(
      name: "DepotCommandsTests",
      dependencies: ["DepotCommands", "DepotClient", "DepotProtocol", "DepotLinux"]
    ),
    .testTarget(
      name: "DepotClientTests",
      dependencies: ["DepotClient", "DepotProtocol", "DepotLinux"]
    ),
    .testTarget(
      name: "FaultTests",
      dependencies: ["DepotClient", "DepotEngine", "DepotProtocol", "DepotSQLite", "DepotLinux"]
    ),
    .testTarget(
      name: "DepotServerTests",
      dependencies: ["DepotServer", "DepotEngine", "DepotProtocol", "DepotLinux"]
    ),
    .testTarget(
      name: "ServiceTests",
      dependencies: ["DepotClient", "DepotProtocol", "DepotLinux"]
    ),
    .testTarget(name: "RulesTests"),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
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
