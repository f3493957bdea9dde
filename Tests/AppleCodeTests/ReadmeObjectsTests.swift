import SwiftData
import Testing

@Suite struct `The README's objects` {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test func `what the README shows is what is compiled here`() throws {
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    let source = try String(
      contentsOf: Self.root.appending(path: "Tests/AppleCodeTests/ReadmeObjects.swift"),
      encoding: .utf8
    )
    let compiled = Self.unindented(source)
    let section = try #require(
      readme.components(separatedBy: "\n## ").first { $0.hasPrefix("Objects\n") }
    )
    let blocks = section.components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    #expect(blocks.count == 2)
    for paragraph in blocks.flatMap({ $0.components(separatedBy: "\n\n") }) {
      #expect(compiled.contains(Self.unindented(paragraph)), "not compiled:\n\(paragraph)")
    }
  }

  @Test func `it works`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // The environment, which says where the store is, belongs to a process of its own.
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent]
    ) { [data = folder.path as String] in
      setenv("DEPOT_EMBEDDED", "1", 1)
      setenv("XDG_DATA_HOME", data, 1)
      try await readmeObjects()
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(output.contains("Frank Herbert [\"Dune\", \"Dune Messiah\"]"))
    #expect(FileManager.default.fileExists(atPath: folder.path + "/depot/default.store"))
  }

  private static func unindented(_ text: String) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .joined(separator: "\n")
  }
}
