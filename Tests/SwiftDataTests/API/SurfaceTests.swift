import Foundation
import TestSupport
import Testing

/// The check that the module offers what Apple's has.
@Suite struct `The public surface` {
  @Test func `has every symbol of Apple's SwiftData but for those left out with a reason`() throws {
    let list = try Self.list()
    let symbols = try Self.symbols()
    let missing = list.wanted.filter { !symbols.contains($0) }
    #expect(missing.isEmpty, "Missing:\n\(missing.joined(separator: "\n"))")
    let needless = list.leftOut.keys.filter { symbols.contains($0) }
    #expect(needless.isEmpty, "Listed as left out, but there: \(needless)")
    #expect(list.leftOut.values.allSatisfy { !$0.isEmpty })
  }

  @Test func `names each symbol once`() throws {
    let wanted = try Self.list().wanted
    #expect(Set(wanted).count == wanted.count)
    #expect(wanted.count > 300)
  }

  /// Reads `swiftdata.txt`.
  static func list() throws -> (wanted: [String], leftOut: [String: String]) {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "swiftdata.txt")
    var wanted: [String] = []
    var leftOut: [String: String] = [:]
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("#") { continue }
      guard line.hasPrefix("- ") else {
        wanted.append(String(line))
        continue
      }
      let parts = line.dropFirst(2).split(separator: ": ", maxSplits: 1)
      leftOut[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
    }
    return (wanted, leftOut)
  }

  /// The paths of the module's public symbols, as the compiler's own tool tells them.
  static func symbols() throws -> Set<String> {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let machine = try Program.run(["uname", "-m"]).output.trimmingCharacters(in: .newlines)
    let outcome = try Program.run(
      [
        "swift", "symbolgraph-extract", "-module-name", "SwiftData",
        "-target", "\(machine)-unknown-linux-gnu", "-output-dir", folder.path,
        "-minimum-access-level", "public",
      ] + Programs.moduleOptions
    )
    try #require(outcome.status == 0, "\(outcome.errors)")
    var paths: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let graph = try JSONDecoder().decode(
        Graph.self,
        from: Data(contentsOf: folder.appending(path: file))
      )
      for symbol in graph.symbols { paths.insert(symbol.pathComponents.joined(separator: ".")) }
    }
    return paths
  }

  private struct Graph: Decodable {
    struct Symbol: Decodable { var pathComponents: [String] }
    var symbols: [Symbol]
  }
}
