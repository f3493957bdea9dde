import Foundation
import TestSupport
import Testing

/// What the page of predicates shows.
@Suite(.serialized) struct `The page of predicates` {
  @Test func `has a predicate by hand inside of another one that finds what it says`() throws {
    let page = try String(
      contentsOfFile: Programs.root + "/Sources/SwiftData/SwiftData.docc/Predicates.md",
      encoding: .utf8
    )
    let snippets = page.components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    let snippet = try #require(snippets.first { $0.contains("NestedPredicate") })
    #expect(snippet.contains("NestedExpression"))
    let program = try CompiledProgram(Self.program(around: snippet))
    try #require(program.status == 0, "\(program.told)")
    #expect(!program.told.contains("warning:"), "\(program.told)")
    let outcome = try program.run()
    #expect(outcome.lines == ["mine: long, longer", "dear: longer"], "\(outcome.errors)")
  }

  /// A program that runs a snippet about trips.
  private static func program(around snippet: String) -> String {
    """
    import Foundation
    import SwiftData

    @Model final class Trip {
      var name: String
      var days: Int

      init(name: String, days: Int) {
        self.name = name
        self.days = days
      }
    }

    @main struct Program {
      static func main() throws {
        let context = ModelContext(
          try ModelContainer(
            for: Trip.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true)
          )
        )
        for (name, days) in [("short", 1), ("long", 4), ("longer", 9)] {
          context.insert(Trip(name: name, days: days))
        }
        try context.save()
    \(snippet)
        func find(_ predicate: Predicate<Trip>) throws -> String {
          let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\\.days)])
          return try context.fetch(descriptor).map(\\.name).joined(separator: ", ")
        }
        print("mine:", try find(isMine))
        print("dear:", try find(isDear))
      }
    }
    """
  }
}
