import Foundation
import TestSupport
import Testing

/// The compiler's errors about predicates that are wrong, in a file that imports Foundation too.
@Suite(.serialized) struct `Errors of the compiler in predicates` {
  /// A use of a macro with a property that there isn't.
  static let uses = [
    "let wrong = #Predicate<Place> { $0.nam == \"a\" }",
    "let wrong: Predicate<Place> = #Predicate { $0.nam == \"a\" }",
    "let wrong = #Predicate<Place> { place in place.name == \"a\" && place.nam == \"b\" }",
    "let wrong = FetchDescriptor<Place>(predicate: #Predicate { $0.nam == \"a\" })",
    "let wrong = FetchDescriptor(predicate: #Predicate<Place> { $0.nam == \"a\" })",
    "let wrong = #Expression<Place, Int> { $0.nam.count }",
  ]

  @Test(arguments: uses)
  func `a misspelt property is named at its place`(use: String) throws {
    let errors = try Self.errors(in: use)
    #expect(errors.count == 1, "\(errors)")
    let text = "value of type 'Place' has no member 'nam'"
    #expect(errors.first?.hasSuffix(text) == true, "\(errors)")
    #expect(errors.first?.hasPrefix("11:") == true, "\(errors)")
  }

  /// Returns the errors of a file whose eleventh line is this, as `LINE:COLUMN: error: MESSAGE`.
  private static func errors(in line: String) throws -> [String] {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "wrong.swift")
    let source = """
      import Foundation
      import SwiftData

      @Model final class Place {
        var name = ""
        var days = 0
        init() {}
      }
      func use() {
        // The next line is wrong.
        \(line)
      }
      """
    try source.write(to: file, atomically: true, encoding: .utf8)
    let outcome = try Program.run(
      ["swiftc", "-typecheck", "-swift-version", "6", file.path] + Programs.moduleOptions
        + Programs.pluginOptions
    )
    let prefix = file.path + ":"
    return (outcome.output + outcome.errors).split(separator: "\n")
      .filter { $0.hasPrefix(prefix) && $0.contains(": error: ") }
      .map { String($0.dropFirst(prefix.count)) }
  }
}
