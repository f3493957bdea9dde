import DepotProtocol
import Testing

@testable import SwiftData

/// What the store is asked for.
@Suite struct ModelQueryTests {
  /// Predicates, each with what it is in the language of the service.
  @Test func `a predicate becomes a query`() throws {
    let skipper = Skipper(name: "Ada")
    let (limit, names) = (3, ["Oslo", "Rome"])
    let short = #Predicate<Voyage> { $0.days < limit }
    let table: [(Predicate<Voyage>, String)] = [
      (#Predicate { $0.name == "Oslo" && $0.days > limit }, "name == 'Oslo' AND days > 3"),
      (#Predicate { $0.captain?.name == "Ada" }, "captain.name == 'Ada'"),
      (#Predicate { $0.captain == nil }, "captain == NIL"),
      (#Predicate { $0.note?.hasPrefix("x") ?? false }, "note != NIL AND note BEGINSWITH 'x'"),
      (#Predicate { $0.name.hasSuffix("x") }, "name ENDSWITH 'x'"),
      (#Predicate { $0.name.localizedStandardContains("x") }, "name CONTAINS[l] 'x'"),
      (#Predicate { $0.name.lowercased() == "x" }, "lowercase(name) == 'x'"),
      (#Predicate { $0.name.caseInsensitiveCompare("x") == .orderedSame }, "name ==[c] 'x'"),
      (#Predicate { names.contains($0.name) }, "name IN {'Oslo', 'Rome'}"),
      (#Predicate { $0.stops.contains { $0.nights > limit } }, "ANY(stops, $x, $x.nights > 3)"),
      (#Predicate { $0.stops.map(\.nights).max() == 5 }, "stops.@max.nights == 5"),
      (#Predicate { short.evaluate($0) && !$0.isDone }, "days < 3 AND NOT isDone == TRUE"),
      (#Predicate { abs($0.days) == 3 }, "abs(days) == 3"),
      (#Predicate { $0.home.city == "Bergen" }, "home.city == 'Bergen'"),
      (#Predicate { $0.office?.city == "Bergen" }, "office.city == 'Bergen'"),
      (#Predicate { $0.office == nil }, "office == NIL"),
      (#Predicate { $0.mood == .calm }, "mood == 'calm'"),
      (#Predicate { $0.mood.rawValue == "calm" }, "mood == 'calm'"),
      (#Predicate { $0.tags.contains("x") }, "'x' IN tags"),
      (Predicate(all: [short, #Predicate { $0.isDone }]), "days < 3 AND isDone == TRUE"),
      (Predicate(any: [short, #Predicate { $0.isDone }]), "days < 3 OR isDone == TRUE"),
    ]
    _ = skipper
    for (predicate, text) in table {
      #expect(try ModelQuery.expression(predicate) == PredicateParser.parse(text), "\(text)")
    }
  }
}
