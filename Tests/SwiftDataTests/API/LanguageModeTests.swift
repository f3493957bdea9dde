import Foundation
import TestSupport
import Testing

/// A program in each mode of the language.
@Suite(.serialized) struct `Modes of the language` {
  static let modes = [
    ["-swift-version", "5"],
    ["-swift-version", "5", "-strict-concurrency=minimal"],
    [
      "-swift-version", "5", "-strict-concurrency=complete",
      "-enable-upcoming-feature", "InferSendableFromCaptures",
    ],
    ["-swift-version", "6"],
    ["-swift-version", "6", "-default-isolation", "MainActor"],
    [
      "-swift-version", "6", "-default-isolation", "MainActor",
      "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
      "-enable-upcoming-feature", "InferIsolatedConformances",
    ],
  ]

  /// The modes in which it is linked and run too: those with the least and the most checking.
  static let linked = [modes[1], modes[5]]

  @Test(arguments: modes)
  func `a program compiles without a warning and runs`(options: [String]) throws {
    let program = try CompiledProgram(Self.program, options: options)
    #expect(program.status == 0, "\(program.told)")
    #expect(!program.told.contains("warning:"), "\(program.told)")
    guard program.status == 0, Self.linked.contains(options) else { return }
    let outcome = try program.run()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.lines == [
        "main: Oslo, Rome", "rough: Oslo", "actor: Bergen", "stops: 2", "observed: 3",
        "sections: O, R, V", "history: 3", "deleted: 2",
      ]
    )
  }

  /// A program in the spelling that all modes have in common.
  private static let program = """
    import Foundation
    import Observation
    import SwiftData

    enum Mood: String, Codable { case calm, rough }

    // Else its key paths are the main actor's where that is the default.
    nonisolated struct Place: Codable, Hashable {
      var city: String
      var floor = 1
    }

    @Model
    final class Trip {
      #Index<Trip>([\\.name], [\\.name, \\.days])
      @Attribute(.unique) var name: String
      var initial: String
      var days = 3
      var mood = Mood.calm
      var place: Place?
      var tags: [String] = []
      @Relationship(deleteRule: .cascade, inverse: \\Stop.trip) var stops: [Stop] = []
      @Transient var isShown = false

      init(name: String, mood: Mood = .calm) {
        self.name = name
        self.mood = mood
        initial = String(name.prefix(1))
      }

      var title: String { "\\(name) (\\(stops.count))" }
    }

    @Model
    final class Stop {
      var city: String
      var trip: Trip?

      init(city: String) { self.city = city }
    }

    enum TripsV1: VersionedSchema {
      static let versionIdentifier = Schema.Version(1, 0, 0)
      static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }
    }

    enum TripsPlan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [TripsV1.self] }
      static var stages: [MigrationStage] { [] }
    }

    @ModelActor
    actor Planner {
      func plan(_ name: String) throws -> PersistentIdentifier {
        let trip = Trip(name: name)
        trip.stops = [Stop(city: "Voss"), Stop(city: "Flam")]
        modelContext.insert(trip)
        try modelContext.save()
        return trip.persistentModelID
      }

      func rename(_ id: PersistentIdentifier, to name: String) throws {
        self[id, as: Trip.self]?.name = name
        try modelContext.save()
      }
    }

    @MainActor
    @Observable
    final class TripList {
      let observer: ResultsObserver<Trip, String>

      init(_ context: ModelContext) throws {
        observer = try ResultsObserver(sectionBy: \\.initial, modelContext: context)
      }
    }

    @main
    struct Program {
      @MainActor
      static func main() async throws {
        let container = try ModelContainer(
          for: Trip.self,
          migrationPlan: TripsPlan.self,
          configurations: ModelConfiguration(isStoredInMemoryOnly: true)
        )
        let context = container.mainContext
        for (name, mood) in [("Rome", Mood.calm), ("Oslo", .rough)] {
          let trip = Trip(name: name, mood: mood)
          trip.place = Place(city: name)
          context.insert(trip)
        }
        try context.save()
        let order = [SortDescriptor(\\Trip.name)]
        let all = try context.fetch(FetchDescriptor<Trip>(sortBy: order))
        print("main:", all.map(\\.name).joined(separator: ", "))
        let rough = Mood.rough
        let wanted = #Predicate<Trip> { $0.mood == rough && $0.place?.city == "Oslo" }
        let found = try context.fetch(FetchDescriptor(predicate: wanted, sortBy: order))
        print("rough:", found.map(\\.name).joined())

        let planner = Planner(modelContainer: container)
        let id = try await planner.plan("Vienna")
        try await planner.rename(id, to: "Bergen")
        let named = #Predicate<Trip> { $0.name == "Bergen" }
        let bergen = try ModelContext(container).fetch(FetchDescriptor(predicate: named))
        print("actor:", bergen.map(\\.name).joined())
        print("stops:", bergen.first?.stops.count ?? 0)

        let list = try TripList(context)
        print("observed:", list.observer.results.count)
        print("sections:", list.observer.sections?.sectionTitles.joined(separator: ", ") ?? "")
        let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        print("history:", history.count)
        try context.delete(model: Stop.self)
        try context.transaction { context.delete(all[0]) }
        print("deleted:", try context.fetchCount(FetchDescriptor<Trip>()))
      }
    }
    """
}
