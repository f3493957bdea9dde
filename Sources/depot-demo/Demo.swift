import DepotClient
import DepotProtocol
import Foundation

/// The main job on real data: the Debian catalogue, imported and queried.
struct Demo {
  private let folder: String
  private let programs: String
  private let environment: [String: String]

  /// Runs the demo in a temporary folder with a service of its own.
  static func run() -> Int32 {
    let folder = NSTemporaryDirectory() + "depot-demo-\(UUID().uuidString.prefix(8))"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let demo = try Demo(folder: folder)
      defer { try? demo.depot("service", "stop", isShown: false) }
      try demo.perform()
      return 0
    } catch {
      FileHandle.standardError.write(Data("depot-demo: \(error)\n".utf8))
      return 1
    }
  }

  private init(folder: String) throws {
    self.folder = folder
    let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    programs = (path as NSString).deletingLastPathComponent
    environment = ["DEPOT_SOCKET": folder + "/depot.sock", "XDG_DATA_HOME": folder]
  }

  private func perform() throws {
    let (text, source) = try Catalogue.read()
    let (lines, count) = try Catalogue.ndjson(text)
    try Catalogue.schema.write(
      toFile: folder + "/packages.schema.json",
      atomically: true,
      encoding: .utf8
    )
    try lines.write(to: URL(filePath: folder + "/packages.ndjson"))
    say("\(count) packages from \(source), in \(folder)\n")

    try depot("schema", "apply", "packages.schema.json")
    try depot("import", "Package", "packages.ndjson")
    try depot("count", "Package")
    try depot(
      "fetch",
      "Package",
      "--where",
      "section == 'database' AND installedSize > 10000",
      "--sort",
      "installedSize:desc",
      "--limit",
      "10",
      "--select",
      "name,version,installedSize,summary"
    )
    try depot("count", "Package", "--where", "maintainer CONTAINS[c] 'debian'")
    try depot("fetch", "Package", "--where", "name == 'bash'", "--select", "name,version,depends")
    try depot(
      "fetch",
      "Package",
      "--where",
      "name BEGINSWITH 'sqlite'",
      "--sort",
      "name",
      "--select",
      "name,version,section"
    )
    try depot(
      "fetch",
      "Package",
      "--where",
      "isEssential == YES",
      "--sort",
      "installedSize:desc",
      "--limit",
      "5",
      "--select",
      "name,installedSize"
    )
    try depot(
      "count",
      "Package",
      "--where",
      "homepage == NULL AND NOT section IN {'libs', 'libdevel'}"
    )
    try depot(
      "fetch",
      "Package",
      "--where",
      "summary LIKE[cd] '*object store*'",
      "--select",
      "name,summary"
    )
    try depot(
      "explain",
      "Package",
      "--where",
      "section == 'database' AND installedSize > 10000"
    )
    try depot("update", "Package", "--where", "name == 'bash'", "priority=required")
    try depot("delete", "Package", "--where", "section == 'games' AND installedSize > 1000000")
    try depot("count", "Package")
    try swiftQueries()
    try depot("stats", isShown: true)
  }

  /// The same service, from Swift.
  private func swiftQueries() throws {
    say("From Swift, with #Predicate and SortDescriptor:\n")
    let connection = try BlockingConnection(socket: SocketPath(folder + "/depot.sock"))
    try show(
      "fetch(DebianPackage.self, where: #Predicate { $0.section == \"editors\" && … }, …)"
    ) {
      let found = try connection.fetch(
        DebianPackage.self,
        where: #Predicate { package in
          package.section == "editors" && package.name.contains("vim")
        },
        sortBy: [SortDescriptor(\.installedSize, order: .reverse)],
        limit: 5
      )
      for package in found {
        say("  \(package.id.map(String.init) ?? "") \(package.name) \(package.version)")
      }
    }
    try show("count(DebianPackage.self, where: #Predicate { $0.isEssential })") {
      say("  \(try connection.count(DebianPackage.self, where: #Predicate { $0.isEssential }))")
    }
    try show("fetch(DebianPackage.self), all of them") {
      let all = try connection.fetch(DebianPackage.self)
      let bytes = all.reduce(0) { $0 + ($1.installedSize ?? 0) } / 1_048_576
      say("  \(all.count) packages, \(bytes) GiB when installed")
    }
  }

  private func depot(_ arguments: String..., isShown: Bool = true) throws {
    let body = {
      // Files are named as a user in the folder would name them.
      let paths = arguments.map { $0.hasPrefix("packages.") ? folder + "/" + $0 : $0 }
      try Program.run(
        [programs + "/depot", "-o", "table"] + paths,
        environment: environment
      )
    }
    guard isShown else { return try body() }
    let words = arguments.map { $0.contains(" ") ? "\"\($0)\"" : $0 }
    try show("depot " + words.joined(separator: " "), body)
  }

  /// Prints a line at once, so that it keeps its place among those of other programs.
  private func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Prints what is done, does it, and prints how long it took.
  private func show(_ title: String, _ body: () throws -> Void) throws {
    say("$ \(title)")
    let start = ContinuousClock.now
    try body()
    let milliseconds = (ContinuousClock.now - start) / Duration.milliseconds(1)
    say("  (\(String(format: "%.1f", milliseconds)) ms)\n")
  }
}
