import SwiftData
import Testing

@Suite struct `Structures that become required` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ type: any PersistentModel.Type) throws -> ModelContext {
    let configuration = ModelConfiguration(url: try folder.store())
    return ModelContext(try ModelContainer(for: Schema([type]), configurations: [configuration]))
  }

  @Test func `have the whole default where there was none, and their own parts elsewhere`() throws {
    let first = try open(Optionally.Spot.self)
    let spot = Optionally.Point(x: 1, y: nil, z: Optionally.Depth(far: 2, note: nil))
    first.insert(Optionally.Spot("a", nil))
    first.insert(Optionally.Spot("b", spot))
    first.insert(Optionally.Spot("c", Optionally.Point(x: 3, y: "e", z: nil)))
    try first.save()
    let spots = try open(Always.Spot.self)
      .fetch(FetchDescriptor<Always.Spot>(sortBy: [.init(\.name)]))
    let depth = Always.Depth(far: 7, note: "n")
    #expect(
      spots.map(\.point) == [
        Always.Point(x: 9, y: "d", z: depth),
        Always.Point(x: 1, y: nil, z: Always.Depth(far: 2, note: nil)),
        Always.Point(x: 3, y: "e", z: depth),
      ]
    )
  }

  @Test func `are refused with a sentence where a new part has a default of its own`() throws {
    let first = try open(Plain.Cup.self)
    first.insert(Plain.Cup(Plain.Size(x: 1)))
    try first.save()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) { try open(Deep.Cup.self) }
    #expect(error?.hint?.contains("A default that a structure declares") == true)
    #expect(error?.hint?.contains("Cup.size.y") == true, "\(error?.hint ?? "")")
  }

  enum Plain {
    struct Size: Codable, Hashable { var x: Int }
    @Model final class Cup {
      var size: Size
      init(_ size: Size) { self.size = size }
    }
  }

  enum Deep {
    struct Size: Codable, Hashable {
      var x: Int
      var y = 5
    }
    @Model final class Cup {
      var size: Size
      init(_ size: Size) { self.size = size }
    }
  }

  enum Optionally {
    struct Depth: Codable, Hashable {
      var far: Int
      var note: String?
    }
    struct Point: Codable, Hashable {
      var x: Int
      var y: String?
      var z: Depth?
    }
    @Model final class Spot {
      var name: String
      var point: Point?
      init(_ name: String, _ point: Point?) {
        self.name = name
        self.point = point
      }
    }
  }

  enum Always {
    struct Depth: Codable, Hashable {
      var far: Int
      var note: String?
    }
    struct Point: Codable, Hashable {
      var x: Int
      var y: String?
      var z: Depth
    }
    @Model final class Spot {
      var name: String
      var point: Point = Point(x: 9, y: "d", z: Depth(far: 7, note: "n"))
      init(_ name: String) { self.name = name }
    }
  }
}
