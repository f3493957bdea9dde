import DepotClient
import DepotProtocol
import Foundation

/// The main job on real data: the Debian catalogue, imported and queried.
struct Demo {
  private let folder: String
  private let programs: String
  private let environment: [String: String]

  /// Runs the demo in a temporary folder with a service of its own; with `--catalogue FOLDER`, only
  /// writes its data there.
  static func run(_ arguments: [String]) -> Int32 {
    if arguments.count == 3, arguments[1] == "--catalogue" {
      return reporting { try Catalogue().write(to: URL(filePath: arguments[2])) }
    }
    let folder = NSTemporaryDirectory() + "depot-demo-\(UUID().uuidString.prefix(8))"
    return reporting {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let demo = try Demo(folder: folder)
      defer { try? demo.depot("service", "stop", isShown: false) }
      try demo.perform()
    }
  }

  private static func reporting(_ body: () throws -> Void) -> Int32 {
    do {
      try body()
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
    environment = [
      "DEPOT_SOCKET": folder + "/depot.sock", "XDG_DATA_HOME": folder, "COLUMNS": "100",
    ]
  }

  private func perform() throws {
    let catalogue = try Catalogue()
    try catalogue.write(to: URL(filePath: folder))
    say(
      """
      \(catalogue.packages.count) packages with \(catalogue.dependencies.count) dependencies \
      from \(catalogue.source), in \(folder)

      """
    )
    try importGraph()
    try askTheGraph()
    try changeTheGraph()
    try swiftQueries()
    try depot("stats")
  }

  private func importGraph() throws {
    try depot("schema", "migrate", "catalogue.schema.json")
    try depot("schema", "diagram")
    try depot("import", "Section", "sections.ndjson")
    try depot("import", "Maintainer", "maintainers.ndjson")
    try depot(
      "import",
      "Package",
      "packages.ndjson",
      "--link",
      "section=Section.name",
      "--link",
      "maintainer=Maintainer.email"
    )
    try depot(
      "import",
      "Dependency",
      "dependencies.ndjson",
      "--link",
      "source=Package.name",
      "--link",
      "target=Package.name"
    )
  }

  private func askTheGraph() throws {
    say("Packages in a section that nothing depends on:\n")
    try depot(
      "fetch",
      "Package",
      "--where",
      "section.name == 'database' AND dependents.@count == 0",
      "--sort",
      "installedSize:desc",
      "--limit",
      "5",
      "--select",
      "name,installedSize,summary"
    )
    say("The ten most depended-on:\n")
    try depot(
      "aggregate",
      "Dependency",
      "--where",
      "target != NULL",
      "--by",
      "target.name",
      "--value",
      "dependents=count()",
      "--sort",
      "dependents:desc",
      "--limit",
      "10"
    )
    say("Maintainers with more than 50 packages, by the size of all of them:\n")
    try depot(
      "aggregate",
      "Package",
      "--by",
      "maintainer.name",
      "--value",
      "packages=count()",
      "--value",
      "size=sum(installedSize)",
      "--having",
      "packages > 50",
      "--sort",
      "size:desc",
      "--limit",
      "5"
    )
    say("Packages whose every dependency is in main:\n")
    try depot(
      "count",
      "Package",
      "--where",
      "ALL dependencies.target.section.area == 'main'"
    )
    say("Packages with their sections in the same reply:\n")
    try depot(
      "-o",
      "json",
      "fetch",
      "Package",
      "--where",
      "name IN {'bash', 'zsh', 'fish'}",
      "--prefetch",
      "section",
      "--select",
      "name,section"
    )
    say("Full text, best matches first:\n")
    try depot(
      "fetch",
      "Package",
      "--where",
      "SELF MATCHES TEXT 'object store'",
      "--sort",
      "rank():desc",
      "--limit",
      "5",
      "--select",
      "name,summary"
    )
    try depot(
      "explain",
      "Package",
      "--where",
      "section.name == 'database' AND dependents.@count == 0"
    )
  }

  private func changeTheGraph() throws {
    try depot("update", "Package", "--where", "name == 'bash'", "isEssential=true")
    try depot("delete", "Package", "--where", "section.name == 'games' AND installedSize > 1000000")
    try depot("count", "Dependency")
  }

  /// The same service, from Swift.
  private func swiftQueries() throws {
    say("From Swift, with #Predicate and SortDescriptor:\n")
    let connection = try BlockingConnection(socket: SocketPath(folder + "/depot.sock"))
    try show(
      "fetch(DebianPackage.self, where: #Predicate { $0.isEssential && … }, sortBy: …, limit: 5)"
    ) {
      let found = try connection.fetch(
        DebianPackage.self,
        where: #Predicate { package in
          package.isEssential && package.name.contains("s")
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
      let paths = arguments.map {
        $0.hasSuffix(".ndjson") || $0.hasSuffix(".json") ? folder + "/" + $0 : $0
      }
      try Program.run(
        [programs + "/depot"] + (arguments.contains("-o") ? [] : ["-o", "table"]) + paths,
        environment: environment
      )
    }
    guard isShown else { return try body() }
    let words = arguments.map { $0.contains(" ") ? "\"\($0)\"" : $0 }
    try show(wrapped(["depot"] + words), body)
  }

  /// Returns a command line as people write it who want to read it.
  private func wrapped(_ words: [String]) -> String {
    var lines = [""]
    for word in words {
      if lines[lines.count - 1].count + word.count > 92 { lines.append("   ") }
      lines[lines.count - 1] += " " + word
    }
    return lines.joined(separator: " \\\n").dropFirst().description
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
