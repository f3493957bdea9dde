import Foundation
import TestSupport
import Testing

/// The check that the module declares what Apple's does, and otherwise only where `swiftdata.txt` says so.
@Suite struct `The public surface` {
  private let list: SurfaceList
  private let here: Surface

  /// The declarations of the module, which a process asks the compiler for once.
  private static let surface = Result { try Surface.ofModule() }

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "swiftdata.txt")
    list = SurfaceList(try String(contentsOf: file, encoding: .utf8))
    here = try Self.surface.get()
  }

  @Test func `has every declaration of Apple's SwiftData but for those listed with a reason`() {
    let missing = list.entries.filter {
      $0.difference == nil && !here.has($0.declaration, in: $0.path)
    }
    for entry in missing {
      Issue.record(
        """
        [\(entry.path)]
        \(entry.declaration)
        \(here.alike(entry.declaration, in: entry.path).map { "here: \($0)" }.joined(separator: "\n"))
        """
      )
    }
  }

  @Test func `differs exactly where that is listed`() {
    for entry in list.entries {
      guard let difference = entry.difference else { continue }
      #expect(!difference.reason.isEmpty, "\(entry)")
      let isThere = here.has(entry.declaration, in: entry.path)
      #expect(!isThere, "listed as another one, but there: \(entry)")
      if let other = difference.declaration {
        #expect(here.has(other, in: entry.path), "not there: \(other) in \(entry.path)")
      }
    }
  }

  @Test func `is compared on the page that tells the differences`() throws {
    let path = Programs.root + "/Sources/SwiftData/SwiftData.docc/Comparison.md"
    let page = try String(contentsOfFile: path, encoding: .utf8)
    let section = try #require(page.components(separatedBy: "## Declarations that differ").last)
    let told = section.split(separator: "\n").filter { $0.hasPrefix("- ") }
    let reasons = Set(list.entries.compactMap { $0.difference?.reason })
    for reason in reasons { #expect(told.contains { $0.hasSuffix(reason) }, "not told: \(reason)") }
    #expect(told.count == reasons.count)
  }

  @Test func `has every conformance of Apple's`() {
    for (path, names) in list.conformances {
      let missing = names.subtracting(here.conformances[path] ?? [])
      #expect(missing.isEmpty, "\(path) lacks \(missing.sorted())")
    }
  }

  @Test func `lists each declaration once`() {
    let written = list.entries.map { "\($0.path) \(Surface.normal($0.declaration))" }
    #expect(Set(written).count == written.count)
    #expect(written.count > 450)
  }

  @Test func `knows declarations apart by what users can tell`() {
    let same = [
      ("final let name: String", "var name: String { get }"),
      ("var name: String", "final var name: String { get set }"),
      (
        "func f<T>(_ a: T, to b: [T] = []) where T : P",
        "func f<Value>(_ x: Value, to y: [Value] = []) where Value : P"
      ),
      ("subscript(position: Int) -> T { get }", "subscript(_ index: Int) -> T { get }"),
    ]
    for (left, right) in same { #expect(Surface.normal(left) == Surface.normal(right)) }
    let others = [
      "func f(a: Int)", "func f(b: Int)", "func f(a: Int?)", "func f(a: Int = 1)",
      "func f(a: Int) throws",
      "@MainActor func f(a: Int)", "static func f(a: Int)", "var f: Int { get }", "var f: Int",
      "var f: Int? { get }", "nonisolated var f: Int { get }",
    ]
    #expect(Set(others.map(Surface.normal)).count == others.count)
  }
}

/// The list of Apple's declarations, and of what is otherwise here.
private struct SurfaceList {
  /// One declaration of Apple's.
  struct Entry {
    var path: String
    var declaration: String
    var difference: Difference?
  }

  /// What is here instead of a declaration of Apple's.
  struct Difference {
    /// The declaration; `nil` if there is none.
    var declaration: String?
    var reason: String
  }

  private(set) var entries: [Entry] = []
  private(set) var conformances: [String: Set<String>] = [:]

  init(_ text: String) {
    var path = ""
    for line in text.split(separator: "\n").map(String.init) {
      switch line.first {
      case "#": continue
      case "[": path = String(line.dropFirst().dropLast())
      case ":":
        conformances[path, default: []]
          .formUnion(line.dropFirst(2).split(separator: ", ").map(String.init))
      case ">":
        let parts = line.dropFirst(2).components(separatedBy: " | ")
        entries[entries.count - 1].difference = Difference(
          declaration: parts[0] == "-" ? nil : parts[0],
          reason: parts.count > 1 ? parts[1] : ""
        )
      default: entries.append(Entry(path: path, declaration: line))
      }
    }
  }
}

/// The public declarations of the module, as the compiler's own tool tells them.
private struct Surface {
  /// The declarations, as users can tell them apart, by the paths of the types that they are in.
  private var declarations: [String: [String: String]] = [:]
  private(set) var conformances: [String: Set<String>] = [:]
  /// The protocols of the module.
  private var protocols: Set<String> = []

  func has(_ declaration: String, in path: String) -> Bool {
    var places = [path]
    if protocols.contains(path) { places += protocols.intersection(conformances[path] ?? []) }
    return places.contains { declarations[$0]?[Self.normal(declaration)] != nil }
  }

  /// The declarations of the same name.
  func alike(_ declaration: String, in path: String) -> [String] {
    let name = Self.name(of: declaration)
    return (declarations[path] ?? [:]).values.filter { Self.name(of: $0) == name }.sorted()
  }

  private static func name(of declaration: String) -> Substring {
    let keywords =
      #/\b(?:func|var|let|case|struct|class|enum|protocol|typealias|associatedtype|macro)\s+([^\s(<:]+)/#
    if let match = declaration.firstMatch(of: keywords) { return match.1 }
    return declaration.contains("init") ? "init" : "subscript"
  }

  static func ofModule() throws -> Surface {
    let folder = try TemporaryFolder()
    let machine = try Program.run(["uname", "-m"]).output.trimmingCharacters(in: .newlines)
    let outcome = try Program.run(
      [
        "swift", "symbolgraph-extract", "-module-name", "SwiftData",
        "-target", "\(machine)-unknown-linux-gnu", "-output-dir", folder.url.path,
        "-minimum-access-level", "public",
      ] + Programs.moduleOptions
    )
    try #require(outcome.status == 0, "\(outcome.errors)")
    let graphs = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).map { file in
      let data = try Data(contentsOf: folder.url.appending(path: file))
      return try JSONDecoder().decode(Graph.self, from: data)
    }
    return Surface(graphs)
  }

  private init(_ graphs: [Graph]) {
    // The types of the standard library that the module extends have no symbols of their own.
    var paths = ["s:Sa": "Array", "s:Sq": "Optional"]
    for symbol in graphs.flatMap(\.symbols) {
      let path = symbol.pathComponents.joined(separator: ".")
      paths[symbol.identifier.precise] = path
      let owner = symbol.pathComponents.dropLast().joined(separator: ".")
      let text = (symbol.declarationFragments ?? []).map(\.spelling).joined()
      if text.hasPrefix("protocol ") { protocols.insert(path) }
      declarations[owner, default: [:]][Self.normal(text)] = text
    }
    for relationship in graphs.flatMap(\.relationships) where relationship.kind == "conformsTo" {
      let target = relationship.targetFallback ?? paths[relationship.target] ?? relationship.target
      let name = target.split(separator: ".").last.map(String.init) ?? target
      conformances[paths[relationship.source] ?? "", default: []].insert(name)
    }
  }

  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Identifier: Decodable { var precise: String }
      struct Fragment: Decodable { var spelling: String }
      var identifier: Identifier
      var pathComponents: [String]
      var declarationFragments: [Fragment]?
    }
    struct Relationship: Decodable {
      var kind: String
      var source: String
      var target: String
      var targetFallback: String?
    }
    var symbols: [Symbol]
    var relationships: [Relationship]
  }
}

extension Surface {
  /// Returns a declaration without what users can't tell.
  static func normal(_ declaration: String) -> String {
    var text = declaration.replacing(#/\s+/#, with: " ").trimmingCharacters(in: .whitespaces)
    text.replace(
      #/\b(?:final|convenience|required|override|indirect|consuming)\s|@preconcurrency\s/#,
      with: ""
    )
    // A constant is what can only be read, and a stored variable what can be written.
    if let match = text.wholeMatch(of: #/((?:@?\w+\s)*)let\s(.*)/#) {
      text = "\(match.1)var \(match.2) { get }"
    } else if text.wholeMatch(of: #/(?:@?\w+\s)*var\s[^{]*/#) != nil {
      text += " { get set }"
    }
    // The names inside of functions; that of a subscript's parameter is no label.
    if text.contains(#/\bsubscript\b|\bfunc\s[^\w\s]/#) {
      text.replace(#/([(,]\s?)(\w+):\s/#) { "\($0.1)_ \($0.2): " }
    }
    text.replace(#/([(,]\s?)(\w+|`\w+`)\s(\w+):\s/#) { "\($0.1)\($0.2): " }
    return withoutGenericNames(text)
  }

  /// Returns a function with numbers for the names of its own generic parameters.
  private static func withoutGenericNames(_ text: String) -> String {
    let function = #/(?:\bfunc\s[^\s(<]+|\binit\??|\bsubscript|\bmacro\s\w+)<([^>]*)>/#
    guard let match = text.firstMatch(of: function) else { return text }
    var text = text
    for (number, name) in match.1.split(separator: ", ").enumerated() {
      guard let word = try? Regex("\\b\(name)\\b(?!:)") else { continue }
      text.replace(word.wordBoundaryKind(.simple), with: "$\(number)")
    }
    return text
  }
}
