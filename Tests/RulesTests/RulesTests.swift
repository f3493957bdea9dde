import Foundation
import TestSupport
import Testing

/// The rules of the house, checked on the sources as they are.
@Suite struct RulesTests {
  private let root: URL
  private let sources: [SourceFile]

  init() throws {
    root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    sources = try Self.files(under: root.appending(path: "Sources"), root: root)
  }

  /// What each target may import of ours and of the system.
  private static let layers: [String: Set<String>] = [
    "DepotLinux": ["CDepotLinux", "Glibc", "Synchronization"],
    "DepotSQLite": ["CDepotSQLite", "DepotLinux", "Glibc", "Synchronization"],
    "DepotPostgres": ["DepotLinux", "Glibc"],
    // Of Glibc, only the functions of numbers.
    "DepotProtocol": ["CDepotVersion", "FoundationEssentials", "Swift", "Glibc"],
    "DepotEngine": [
      "DepotPostgres", "DepotSQLite", "DepotProtocol", "DepotLinux", "FoundationEssentials",
      "Synchronization", "Swift", "Glibc",
    ],
    "DepotTables": ["DepotSQLite", "DepotProtocol", "DepotLinux"],
    "DepotServer": [
      "DepotEngine", "DepotTables", "DepotProtocol", "DepotLinux", "CDepotProtocol", "Glibc",
      "Synchronization",
    ],
    "DepotClientCore": [
      "DepotProtocol", "DepotLinux", "FoundationEssentials", "Observation", "Synchronization",
    ],
    "DepotClient": [
      "DepotClientCore", "DepotProtocol", "FoundationEssentials", "FoundationInternationalization",
    ],
    "DepotMacros": [
      "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros",
    ],
    "DepotMacroPlugin": [
      "DepotMacros", "SwiftCompilerPlugin", "SwiftCompilerPluginMessageHandling",
      "SwiftSyntaxMacros",
    ],
    "SwiftData": [
      "DepotClient", "DepotClientCore", "DepotProtocol", "DepotEmbedded", "DepotLinux",
      "Foundation", "Observation",
      "Dispatch", "Swift", "Synchronization",
    ],
    "DepotEmbedded": [
      "DepotServer", "DepotClientCore", "DepotProtocol", "DepotLinux", "Glibc", "Synchronization",
    ],
    "DepotTesting": [
      "SwiftData", "DepotClient", "DepotEmbedded", "DepotProtocol", "DepotLinux", "Dispatch",
      "Foundation", "FoundationEssentials",
    ],
    "DepotStudio": [
      "CDepotStudio", "DepotProtocol", "DepotLinux", "FoundationEssentials", "Glibc",
      "Synchronization",
    ],
    "DepotCommands": [
      "DepotClientCore", "DepotStudio", "DepotProtocol", "DepotLinux", "FoundationEssentials",
      "Glibc",
      "Synchronization",
    ],
    "Examples": ["SwiftData", "Synchronization"],
    "depotd": ["DepotServer", "Glibc"],
    "depot": ["DepotCommands", "Glibc"],
    "depot-demo": [
      "DepotClient", "DepotProtocol", "DepotLinux", "Foundation", "Synchronization",
    ],
    "depot-bench": [
      "DepotClient", "DepotProtocol", "DepotSQLite", "DepotLinux", "FoundationEssentials", "Glibc",
      "Foundation", "SwiftData", "Synchronization",
    ],
  ]

  @Test func `every target imports only what its layer may`() {
    for file in sources {
      for module in file.imports {
        let allowed = Self.layers[file.target] ?? []
        #expect(allowed.contains(module), "\(file.path) imports \(module)")
      }
    }
  }

  @Test func `every target has a layer`() {
    #expect(Set(sources.map(\.target)) == Set(Self.layers.keys))
  }

  @Test func `the engine names types of JSON in one folder`() throws {
    let type = try Regex(#"\bJSON[A-Z]\w*"#)
    let engine = sources.filter { $0.target == "DepotEngine" }
    let users = engine.filter { $0.text.contains(type) }
    #expect(!users.isEmpty)
    for file in users {
      #expect(file.path.hasPrefix("DepotEngine/Wire/"), "\(file.path) uses cells and typed results")
    }
  }

  @Test func `files stay small`() throws {
    let tests = try Self.files(under: root.appending(path: "Tests"), root: root)
    for file in sources + tests {
      #expect(file.lines.count <= 500, "\(file.path) has \(file.lines.count) lines")
    }
  }

  @Test func `nothing is left for later, and nothing traps without a sentence`() {
    for file in sources {
      for word in ["TODO", "FIXME", "fatalError()", "try!"] {
        #expect(!file.text.contains(word), "\(file.path) has \(word)")
      }
    }
  }

  @Test func `no test has a limit of time, which a slow machine would break`() throws {
    for file in try Self.files(under: root.appending(path: "Tests"), root: root) {
      let limit = ".time" + "Limit("
      #expect(!file.text.contains(limit), "\(file.path): Tests/run-groups ends a run that is stuck")
    }
  }

  @Test func `no test expects that something takes no longer than a time`() throws {
    let asserted = try Regex(#"#(expect|require)\([^\n]*\bnow\b[^\n]* <=? "#)
    for file in try Self.files(under: root.appending(path: "Tests"), root: root) {
      #expect(file.text.firstMatch(of: asserted) == nil, "\(file.path)")
    }
  }

  @Test func `a run of tests that is stuck names them and ends`() throws {
    let script = """
      echo '◇ Test "a quick one" started.'; echo '✔ Test "a quick one" passed after 0.1 seconds.'
      echo '◇ Test "a slow one" with 2 test cases started.'; sleep 3600
      """
    let folder = FileManager.default.temporaryDirectory.appending(path: "stuck-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "tests").path
    try "#!/bin/bash\n\(script)\n".write(toFile: program, atomically: true, encoding: .utf8)
    let outcome = try Program.run([
      "env", "STUCK_MINUTES=0.02", "bash", "-c",
      "chmod +x \(program) && exec \(root.path)/Tests/run-groups \(program) one",
    ])
    #expect(outcome.status == 1)
    let said = outcome.output.split(separator: "These run:").last ?? ""
    #expect(said.contains("\"a slow one\""), "\(outcome.output)\(outcome.errors)")
    #expect(!said.contains("a quick one"))
    #expect(said.contains("sleep 3600"), "the processes are named")
  }

  @Test func `an unchecked claim of safety has its reason above it, and there are no more`() {
    var count = 0
    for file in sources {
      for (index, line) in file.lines.enumerated()
      where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
        count += 1
        let above = file.lines[max(0, index - 4)..<index]
        let hasReason = above.contains { $0.contains(#/^ *// because /#) }
        #expect(hasReason, "\(file.path):\(index + 1)")
      }
    }
    #expect(count <= 25)
  }

  @Test func `the top level holds the agreed entries only`() throws {
    let agreed: Set = [
      "Package.swift", "Package.resolved", "Sources", "Tests", "proto-docs", "Makefile",
      "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE",
    ]
    let entries = try FileManager.default.contentsOfDirectory(atPath: root.path)
    #expect(Set(entries.filter { !$0.hasPrefix(".") }).subtracting(agreed) == [])
  }

  @Test func `every source file that CONTRIBUTING names is there`() throws {
    let text = try String(contentsOf: root.appending(path: "CONTRIBUTING.md"), encoding: .utf8)
    let names = text.matches(of: /`([A-Z][A-Za-z+\/]*\.swift)`/).map { String($0.1) }
      .filter { $0 != "Package.swift" && !$0.hasSuffix("/main.swift") }
    #expect(names.count > 10)
    for name in names {
      let isThere = sources.contains { "/Sources/\($0.path)".hasSuffix("/\(name)") }
      #expect(isThere, "there is no \(name)")
    }
  }

  @Test func `swift-format knows every key and rule of the configuration`() throws {
    let ours = try Self.keys(
      of: Data(contentsOf: root.appending(path: ".swift-format"))
    )
    let dump = try Self.keys(
      of: Data(Program.run(["swift", "format", "dump-configuration"]).bytes)
    )
    #expect(ours.top.subtracting(dump.top) == [])
    #expect(ours.rules == dump.rules)
  }

  @Test(arguments: ["depot", "depot-demo"])
  func `a client program doesn't contain SQLite`(name: String) throws {
    let path = Programs.folder + "/" + name
    let linked = try Program.run(["ldd", path]).output
    #expect(!linked.contains("sqlite"))
    let symbols = try Program.run(["nm", path]).output
    #expect(!symbols.contains("sqlite3_open"))
    let service = try Program.run(["ldd", Programs.daemon]).output
    #expect(service.contains("sqlite"), "the check must be able to find it")
  }

  @Test(.enabled(if: Programs.areRelease), arguments: ["depot", "depotd"])
  func `a release program has the Swift runtime inside`(name: String) throws {
    let linked = try Program.run(["ldd", Programs.folder + "/" + name]).output
    #expect(linked.contains("libc.so"), "the check must be able to find a library")
    #expect(!linked.contains("libswiftCore"))
  }

  private static func files(under folder: URL, root: URL) throws -> [SourceFile] {
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return try (paths ?? []).filter { $0.hasSuffix(".swift") }.map { path in
      try SourceFile(
        path: path,
        text: String(contentsOf: folder.appending(path: path), encoding: .utf8)
      )
    }
  }

  private static func keys(of json: Data) throws -> (top: Set<String>, rules: Set<String>) {
    let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    let rules = try #require(object["rules"] as? [String: Any])
    return (Set(object.keys), Set(rules.keys))
  }
}

/// One Swift file of the sources.
private struct SourceFile {
  let path: String
  let text: String

  var target: String { String(path.prefix { $0 != "/" }) }

  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

  var imports: [String] {
    lines.compactMap { line in
      let words = line.split(separator: " ")
      guard let index = words.firstIndex(of: "import"), index < words.count - 1,
        words[..<index].allSatisfy({ Self.modifiers.contains(String($0)) })
      else { return nil }
      let name = words[(index + 1)...].first { !Self.kinds.contains(String($0)) }
      return name.map { String($0.prefix { $0 != "." }) }
    }
  }

  /// What a declaration that is imported alone can be.
  private static let kinds: Set = [
    "class", "enum", "func", "let", "protocol", "struct", "typealias", "var",
  ]

  private static let modifiers: Set = [
    "public", "package", "internal", "private", "fileprivate", "@testable", "@_spi(_Unicode)",
    "@_spi(PluginMessage)", "@_exported",
  ]
}
