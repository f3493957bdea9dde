import DepotClient
import DepotProtocol
import FoundationEssentials
import FoundationInternationalization
import Testing

@Suite struct RealServiceTests {
  private let service: RealService
  private let client: Client

  init() async throws {
    service = try RealService()
    client = try await service.client()
    try await client.define(Package.schema)
  }

  @Test func `records are stored, found, changed, and deleted`() async throws {
    let packages = (0..<2000).map { Package(name: "p\($0)", section: "s\($0 % 3)", size: $0) }
    let identifiers = try await client.insert(packages)
    #expect(identifiers.count == 2000)
    let first = try await client.get(identifiers[7])
    #expect(first.name == "p7")
    #expect(first.id == identifiers[7])
    let large = #Predicate<Package> { $0.size >= 1990 && $0.section == "s1" }
    let found = try await client.fetch(
      Package.self,
      where: large,
      sortBy: [SortDescriptor(\.size, order: .reverse)],
      limit: 2
    )
    #expect(found.map(\.size) == [1999, 1996])
    #expect(try await client.update(Package.self, where: large, set: [.set(\.size, to: -1)]) == 4)
    try await client.update(identifiers[0], set: [.set(\.section, to: nil)])
    #expect(try await client.count(Package.self, where: #Predicate { $0.section == nil }) == 1)
    #expect(try await client.delete(Package.self, where: #Predicate { $0.size < 0 }) == 4)
    try await client.delete(identifiers[1])
    #expect(try await client.count(Package.self) == 1995)
    var sizes: [Int] = []
    for try await package in client.rows(Package.self, sortBy: [SortDescriptor(\.size)]) {
      sizes.append(package.size)
    }
    #expect(sizes.count == 1995)
    #expect(sizes == sizes.sorted())
    await #expect(throws: DepotError.self) { _ = try await client.get(identifiers[1]) }
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(100_000_000_000), .seconds(172_800)])
  func `a deadline may be as long as durations are`(deadline: Duration) async throws {
    let request = CountRequest(entity: "Package")
    #expect(try await client.count(request, deadline: deadline) == 0)
    #expect(try BlockingConnection(socket: service.socket).count(request, deadline: deadline) == 0)
  }

  @Test(arguments: [Duration.seconds(-1), .seconds(Int64.min), .milliseconds(-1)])
  func `a negative deadline has passed`(deadline: Duration) async throws {
    let request = CountRequest(entity: "Package")
    let first = await #expect(throws: DepotError.self) {
      try await client.count(request, deadline: deadline)
    }
    #expect(first?.code == .deadline)
    let second = #expect(throws: DepotError.self) {
      try BlockingConnection(socket: service.socket).count(request, deadline: deadline)
    }
    #expect(second?.code == .deadline)
  }

  @Test func `a Codable type comes back as it was stored`() async throws {
    struct Row: Codable, Equatable {
      enum CodingKeys: String, CodingKey {
        case id = "$id"
        case name, section, installedSize, priority, essential, built
      }

      var id: Int64?
      var name = "vim"
      var section: String?
      var installedSize = 5
      var priority = 0.5
      var essential = true
      var built = Date(timeIntervalSinceReferenceDate: 1)
    }
    let rows = [Row(), Row(section: "net")]
    let identifiers = try await client.insert(encoding: rows, into: "Package")
    let read = try await client.fetch(decoding: Row.self, FetchRequest(entity: "Package"))
    #expect(read.map(\.id) == identifiers)
    #expect(read.map(\.section) == [nil, "net"])
    #expect(read.first == Row(id: identifiers.first))
  }

  @Test(arguments: PredicateLoweringTests.all)
  func `the service takes what a predicate becomes`(
    predicate: Predicate<Package>,
    json: String
  ) async throws {
    _ = try await client.count(Package.self, where: predicate)
  }

  @Test func `the service finds what the predicate finds`() async throws {
    var packages = ["vim", "emacs", "nano", ""].enumerated().map { index, name in
      var package = Package(name: name, section: ["net", nil, "editors", "n"][index], size: index)
      package.isEssential = index % 2 == 0
      package.isHeld = [nil, true, false, nil][index]
      package.priority = Double(index) * 2.5
      package.built = Date(timeIntervalSinceReferenceDate: Double(index) - 1)
      return package
    }
    let identifiers = try await client.insert(packages)
    for (index, identifier) in identifiers.enumerated() {
      packages[index].id = identifier
      packages[index].version = 1
    }
    #expect(try await client.fetch(Package.self) == packages)
    // A range whose bounds are the wrong way around traps in Swift and is empty in the service;
    // unwrapping nil throws in Swift and finds nothing in the service.
    let harmless = PredicateLoweringTests.all.filter { !$0.1.contains("between") }
    for (predicate, json) in harmless {
      guard let expected = try? packages.filter({ try predicate.evaluate($0) }) else { continue }
      let found = try await client.fetch(Package.self, where: predicate)
      #expect(found.map(\.name) == expected.map(\.name), "\(json)")
    }
  }

  @Test func `every write is applied once although the service is killed`() async throws {
    let writers = 8
    let perWriter = 40
    try await withThrowingTaskGroup { group in
      for writer in 0..<writers {
        group.addTask {
          for number in 0..<perWriter {
            try await client.insert([Package(name: "\(writer)-\(number)", size: writer)])
          }
        }
      }
      group.addTask {
        for round in 1...4 {
          while try await client.count(Package.self) < round * 50 {}
          service.kill()
          try service.start()
        }
      }
      try await group.waitForAll()
    }
    let names = try await client.fetch(Package.self).map(\.name)
    #expect(names.count == writers * perWriter)
    #expect(Set(names).count == names.count)
  }
}

extension Package {
  /// The schema of the store that holds packages.
  static let schema = Schema(entities: [
    Entity(
      name: "Package",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(name: "section", type: .string, isOptional: true),
        Attribute(name: "installedSize", type: .int64),
        Attribute(name: "priority", type: .double),
        Attribute(name: "essential", type: .bool),
        Attribute(name: "held", type: .bool, isOptional: true),
        Attribute(name: "built", type: .date),
      ]
    )
  ])
}
