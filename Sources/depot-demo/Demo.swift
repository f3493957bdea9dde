import DepotClient
import DepotLinux
import DepotProtocol
import Foundation

/// The error that nobody reads the output any more, as after `head`.
struct OutputClosed: Error {}

/// The main job on real data: the Debian catalogue, imported and queried.
struct Demo {
  private let workspace: Workspace
  private let programs: String

  private static let help = """
    depot-demo: this machine's Debian packages as a graph of objects

    Usage: depot-demo [--catalogue FOLDER]

    It imports what apt-cache or dpkg knows of packages into a store in a temporary
    folder, with a service of its own, and shows queries and changes with their
    times. However it ends, the service ends with it and the folder is removed.

    Options:
          --catalogue FOLDER  only write the schema and the data, into FOLDER
      -h, --help              show help

    """

  /// Runs the demo; with `--catalogue FOLDER`, only writes its data there.
  ///
  /// - Returns: The exit status: 64 if the arguments aren't understood.
  static func run(_ arguments: [String]) -> Int32 {
    let options = arguments.dropFirst()
    if options.contains("--help") || options.contains("-h") { return reporting { try write(help) } }
    if options.isEmpty { return reporting(perform) }
    if options.first == "--catalogue", options.count == 2, let folder = options.last {
      return reporting { try Catalogue().write(to: URL(filePath: folder)) }
    }
    let wrong = options.first == "--catalogue" && options.count > 2 ? options.last : options.first
    let problem =
      options == ["--catalogue"]
      ? "--catalogue needs FOLDER" : "\"\(wrong ?? "")\" isn't an argument of depot-demo"
    say(problem: "error: \(problem)\n  hint: See: depot-demo --help")
    return 64
  }

  private static func perform() throws {
    let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let programs = (path as NSString).deletingLastPathComponent
    let workspace = try Workspace(programs: programs)
    defer { workspace.putAway() }
    try Demo(workspace: workspace, programs: programs).perform()
  }

  private static func reporting(_ body: () throws -> Void) -> Int32 {
    do {
      try body()
      return 0
    } catch is OutputClosed {
      return DepotLinux.Process.closedPipeStatus
    } catch {
      say(problem: "depot-demo: \(error)")
      return 1
    }
  }

  private static func say(problem: String) {
    try? FileHandle.standardError.write(contentsOf: Data((problem + "\n").utf8))
  }

  private static let output = Descriptor(1)

  /// Writes to the standard output.
  ///
  /// - Throws: ``OutputClosed`` if nobody reads it, ``SystemError`` if there is another reason.
  private static func write(_ text: String) throws {
    do {
      try Data(text.utf8).withUnsafeBytes { try output.write($0) }
    } catch let error as SystemError where error.isBrokenPipe {
      throw OutputClosed()
    }
  }

  private func perform() throws {
    let catalogue = try Catalogue()
    try catalogue.write(to: URL(filePath: workspace.folder))
    try say(
      """
      \(catalogue.packages.count) packages with \(catalogue.dependencies.count) dependencies \
      from \(catalogue.source), in \(workspace.folder)

      """
    )
    try importGraph()
    try askTheGraph()
    try changeTheGraph()
    try swiftQueries()
    try depot("stats")
  }

  private func importGraph() throws {
    try depot("schema apply catalogue.schema.json")
    try depot("schema diagram")
    try depot("import Section sections.ndjson")
    try depot("import Maintainer maintainers.ndjson")
    try depot(
      "import Package packages.ndjson --link section=Section.name "
        + "--link maintainer=Maintainer.email"
    )
    try depot(
      "import Dependency dependencies.ndjson --link source=Package.name "
        + "--link target=Package.name"
    )
  }

  private func askTheGraph() throws {
    try say("Packages in a section that nothing depends on:\n")
    try depot(
      "fetch Package --where \"section.name == 'database' AND dependents.@count == 0\" "
        + "--sort installedSize:desc --limit 5 --select name,installedSize,summary"
    )
    try say("The ten most depended-on:\n")
    try depot(
      "aggregate Dependency --where \"target != NULL\" --by target.name --value dependents=count() "
        + "--sort dependents:desc --limit 10"
    )
    try say("Maintainers with more than 50 packages, by the size of all of them:\n")
    try depot(
      "aggregate Package --by maintainer.name --value packages=count() "
        + "--value size=sum(installedSize) --having \"packages > 50\" --sort size:desc --limit 5"
    )
    try say("Packages whose every dependency is in main:\n")
    try depot("count Package --where \"ALL dependencies.target.section.area == 'main'\"")
    try say("Packages with their sections in the same reply:\n")
    try depot(
      "-o json fetch Package --where \"name IN {'bash', 'zsh', 'fish'}\" --prefetch section "
        + "--select name,section"
    )
    try say("Full text, best matches first:\n")
    try depot(
      "fetch Package --where \"SELF MATCHES TEXT 'object store'\" --sort rank():desc --limit 5 "
        + "--select name,summary"
    )
    try depot("explain Package --where \"section.name == 'database' AND dependents.@count == 0\"")
  }

  private func changeTheGraph() throws {
    try depot("update Package --where \"name == 'bash'\" isEssential=true")
    try depot("delete Package --where \"section.name == 'games' AND installedSize > 1000000\"")
    try depot("count Dependency")
  }

  /// The same service, from Swift.
  private func swiftQueries() throws {
    try say("From Swift, with #Predicate and SortDescriptor:\n")
    let connection = try BlockingConnection(socket: SocketPath(workspace.socket))
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
        try say("  \(package.id.map(String.init) ?? "") \(package.name) \(package.version)")
      }
    }
    try show("count(DebianPackage.self, where: #Predicate { $0.isEssential })") {
      try say("  \(try connection.count(DebianPackage.self, where: #Predicate { $0.isEssential }))")
    }
    try show("fetch(DebianPackage.self), all of them") {
      let all = try connection.fetch(DebianPackage.self)
      let bytes = all.reduce(0) { $0 + ($1.installedSize ?? 0) } / 1_048_576
      try say("  \(all.count) packages, \(bytes) GiB when installed")
    }
  }

  /// Runs a command line of `depot` as a user in the folder would write it.
  private func depot(_ line: String) throws {
    let words = Self.words(line)
    let arguments = words.map { $0.filter { $0 != "\"" } }
      .map { $0.hasSuffix(".ndjson") || $0.hasSuffix(".json") ? workspace.folder + "/" + $0 : $0 }
    let format = arguments.contains("-o") ? [] : ["-o", "table"]
    try show(wrapped(["depot"] + words)) {
      try workspace.run([programs + "/depot"] + format + arguments)
    }
  }

  /// Divides a command line at the spaces outside of quotation marks.
  private static func words(_ line: String) -> [String] {
    var isQuoted = false
    return line.split { character in
      if character == "\"" { isQuoted.toggle() }
      return character == " " && !isQuoted
    }.map(String.init)
  }

  /// Returns a command line in lines that are easy to read.
  private func wrapped(_ words: [String]) -> String {
    var lines = [""]
    for word in words {
      if lines[lines.count - 1].count + word.count > 92 { lines.append("   ") }
      lines[lines.count - 1] += " " + word
    }
    return lines.joined(separator: " \\\n").dropFirst().description
  }

  /// Prints a line at once, so that the order among other programs' lines is right.
  private func say(_ line: String) throws { try Self.write(line + "\n") }

  /// Prints a command, performs it, and prints how long it took.
  private func show(_ title: String, _ body: () throws -> Void) throws {
    try say("$ \(title)")
    let start = ContinuousClock.now
    try body()
    let milliseconds = (ContinuousClock.now - start) / Duration.milliseconds(1)
    try say("  (\(String(format: "%.1f", milliseconds)) ms)\n")
  }
}
