import Foundation
import SwiftData
import Testing

/// Predicates of many clauses whose parameter has no type written down, in a file that imports
/// Foundation too; that this file compiles is half of what they show.
@Suite struct PredicateClauseTests {
  private let voyage: Voyage
  private let names = ["Oslo", "Bergen"]
  private let floor = 2
  private let nothing: Int? = nil
  private let word = "By the Sea"
  private let now = Date(timeIntervalSinceReferenceDate: 1)

  init() {
    voyage = Voyage(name: "Oslo", days: 4, note: "By the Sea")
    voyage.captain = Skipper(name: "Ada", nickname: "Captain")
    voyage.stops = [Halt(city: "Voss", nights: 2), Halt(city: "Flåm", nights: 5)]
    voyage.rating = 4
  }

  @Test func `many clauses need no type in the module's own macro`() throws {
    let (floor, names, nothing, word, now) = (floor, names, nothing, word, now)
    let predicate = #SwiftData::Predicate<Voyage> {
      $0.name == "Oslo" && $0.days > floor && $0.isDone == false && $0.note == "By the Sea"
        && $0.rating == 4 && !$0.isDone && $0.mood == Mood.rough
        && $0.stops.contains { $0.city == "Voss" } && $0.price < 7.5 && names.contains($0.name)
        && $0.name.contains("s") && $0.note != nil && $0.rating != nothing && $0.start <= now
        && $0.days + 1 < 10 && ($0.rating ?? 0) > 3 && $0.price * 1.5 <= 7.5
        && !$0.stops.isEmpty && !$0.name.contains(word) && $0.days != 7 && $0.note == word
        && $0.stops.count >= 2 && $0.mood != .calm && $0.captain?.name == "Ada"
    }
    #expect(try predicate.evaluate(voyage))
    voyage.rating = 5
    #expect(try !predicate.evaluate(voyage))
  }

  @Test func `many clauses need no type where a module has the macro itself`() throws {
    let (floor, names, nothing, word, now) = (floor, names, nothing, word, now)
    let predicate = #Predicate<Voyage> { voyage in
      voyage.name == "Oslo" && voyage.days > floor && voyage.isDone == false
        && voyage.note == "By the Sea" && voyage.rating == 4 && !voyage.isDone
        && voyage.mood == Mood.rough && voyage.stops.contains { $0.city == "Voss" }
        && voyage.price < 7.5 && names.contains(voyage.name) && voyage.name.contains("s")
        && voyage.note != nil && voyage.rating != nothing && voyage.start <= now
        && voyage.days + 1 < 10 && (voyage.rating ?? 0) > 3 && voyage.price * 1.5 <= 7.5
        && !voyage.stops.isEmpty && !voyage.name.contains(word) && voyage.days != 7
        && voyage.note == word && voyage.stops.count >= 2 && voyage.mood != .calm
        && voyage.captain?.name == "Ada"
    }
    #expect(try predicate.evaluate(voyage))
    voyage.isDone = true
    #expect(try !predicate.evaluate(voyage))
  }

  @Test func `an expression of many clauses needs no type either`() throws {
    let expression = #SwiftData::Expression<Voyage, Bool> {
      $0.note == "By the Sea" && $0.rating == 4 && $0.mood == .rough && $0.price < 7.5
        && $0.note != nil && $0.captain != nil && $0.rating != 3 && $0.note != "x"
    }
    #expect(try expression.evaluate(voyage))
  }
}

/// What a module declares for itself, so that no call has to change.
@freestanding(expression)
private macro Predicate<T: PersistentModel>(_ body: (T) -> Bool) -> Foundation.Predicate<T> =
  #externalMacro(module: "DepotMacroPlugin", type: "PredicateMacro")
