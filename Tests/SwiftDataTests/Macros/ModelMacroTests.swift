import SwiftData
import Testing

@Suite struct ModelMacroTests {
  @Test func `a model keeps what its initializer and its defaults say`() {
    let vessel = Vessel(name: "Fram")
    #expect(vessel.name == "Fram")
    #expect(vessel.port == "Bergen")
    #expect(vessel.berth == nil)
    #expect(vessel.rig == .ketch)
    #expect(vessel.length == 12)
    vessel.built += 2
    vessel.default = true
    #expect(vessel.built == 1902)
    #expect(vessel.default)
    #expect(vessel.label == "Fram, Bergen")
    vessel.isLong = false
    #expect(vessel.length == 5)
    #expect(vessel.description == "Fram of Bergen")
    #expect(makePrivateModel() + PublicModel().value + PackageModel().value == 3)
  }

  @Test func `the metadata tell the names, defaults, and options of what is stored`() throws {
    let metadata = Vessel.schemaMetadata
    #expect(
      metadata.map(\.name) == [
        "SwiftData.Schema.Unique", "SwiftData.Schema.Index", "name", "port", "berth", "built",
        "rig",
        "length", "crew", "log", "default", "kernel", "flag",
      ]
    )
    let byName = Dictionary(metadata.map { ($0.name, $0) }) { first, _ in first }
    #expect(byName["port"]?.defaultValue as? String == "Bergen")
    #expect(byName["rig"]?.defaultValue as? Vessel.Rig == .sloop)
    #expect(byName["length"]?.defaultValue as? Double == 12)
    #expect(byName["berth"]?.defaultValue == nil)
    let built = try #require(byName["built"]?.metadata as? Schema.Attribute)
    #expect(built.originalName == "year")
    #expect(built.options == [.externalStorage])
    let crew = try #require(byName["crew"]?.metadata as? Schema.Relationship)
    #expect(crew.deleteRule == .cascade)
    #expect(byName["default"]?.keypath == \Vessel.default)
  }

  @Test func `observers run, and not for what they themselves set`() {
    let vessel = Vessel(name: "Fram")
    #expect(vessel.seen.isEmpty)
    vessel.flag = "no"
    #expect(vessel.flag == "NO")
    #expect(vessel.seen == ["will no", "did NO"])
    #expect(vessel.log == ["kept"])
    vessel.flag = "se"
    #expect(vessel.flag == "SE")
    #expect(vessel.log == ["kept"])
  }

  @Test func `a subclass has the properties of its superclasses and its own`() {
    #expect(
      Ferry.schemaMetadata.suffix(4).map(\.name) == [
        "SwiftData.Schema.Index", "seats", "line", "captain",
      ]
    )
    #expect(Ferry.schemaMetadata.count == Vessel.schemaMetadata.count + 4)
    #expect(NightFerry.schemaMetadata.count == Ferry.schemaMetadata.count + 1)
    #expect(root(of: NightFerry.self) == ObjectIdentifier(Vessel.self))
    let ferry = Ferry(name: "Rogna", line: "west", seats: 12)
    #expect(ferry.seats == 12)
    #expect(ferry.line == "west")
    #expect(ferry.name == "Rogna")
    #expect(ferry.captain == nil)
    ferry.seats += 1
    ferry.touch()
    #expect(ferry.seats == 13)
    #expect((ferry as Vessel).port == "Bergen")
    let night = NightFerry(name: "Natt", cabins: 3)
    #expect(night.cabins == 3)
    #expect(night.line == "north")
    #expect(night.seats == 7)
    #expect(night.port == "Oslo")
    #expect(night.rig == .ketch)
  }

  @Test func `a model made over backing data has its class`() {
    let night = make(NightFerry.self)
    night.name = "Natt"
    night.line = "south"
    night.cabins = 4
    #expect(type(of: night) == NightFerry.self)
    #expect([night.name, night.line, "\(night.cabins)"] == ["Natt", "south", "4"])
  }

  @Test func `only what was read is observed`() {
    // because only this thread uses it
    final class Counter: @unchecked Sendable {
      var count = 0
    }
    let counter = Counter()
    let ferry = Ferry(name: "Rogna", line: "west", seats: 12)
    withObservationTracking {
      _ = ferry.name
      _ = ferry.seats
    } onChange: {
      counter.count += 1
    }
    ferry.line = "east"
    ferry.port = "Oslo"
    #expect(counter.count == 0)
    ferry.seats = 13
    #expect(counter.count == 1)
  }

  @Test func `a class whose superclass isn't a model is the top of its hierarchy`() {
    #expect(Buoy(color: "red").color == "red")
    #expect(root(of: Buoy.self) == ObjectIdentifier(Buoy.self))
    #expect(Harbor.Quay().number == 1)
    #expect(OpenModel().value == 1)
  }

  private func make<Model: PersistentModel>(_: Model.Type) -> Model {
    Model(backingData: Model.createBackingData())
  }

  private func root<Model: PersistentModel>(of _: Model.Type) -> ObjectIdentifier {
    ObjectIdentifier(Model.Root.self)
  }
}
