import DepotClient
import DepotProtocol
import FoundationEssentials
import Testing

import struct FoundationInternationalization.SortDescriptor

@Suite struct LoweringRefusalTests {
  private static let sizes = ["vim": 1]

  static let refused: [(Predicate<Package>, String)] = {
    let (sizes, letters) = (Self.sizes, ["v", "i"])
    return [
      (#Predicate { $0.note == "x" }, "\\Package.note isn't one of Package.attributes."),
      (#Predicate { $0.name.allSatisfy { $0 == $0 } }, "allSatisfy(_:) of a String"),
      (#Predicate { $0.name.filter { $0 == $0 }.count > 1 }, "filter(_:) of a String"),
      (#Predicate { $0.name.first == nil }, "a property of a value"),
      (#Predicate { $0.built.timeIntervalSince1970 > 1 }, "a property of a value"),
      (#Predicate { sizes[$0.name] == 1 }, "a subscript of a dictionary that is a constant"),
      (#Predicate { letters[$0.size] == "v" }, "a subscript that isn't a constant position"),
    ]
  }()

  private static let start = ["a"]

  static let refusedOfCountries: [(Predicate<Country>, String)] = [
    (#Predicate { $0.status.title == "x" }, "a property of a value"),
    (#Predicate { $0.codes.starts(with: start) }, "starts(with:) of anything but a string"),
    (#Predicate { $0.facts.count == 1 }, "a property of a value"),
    (#Predicate { $0.leader?.note == "x" }, "a property of a value"),
  ]

  @Test(arguments: refusedOfCountries)
  func `what no relationship has is refused by its name`(
    predicate: Predicate<Country>,
    name: String
  ) {
    let error = #expect(throws: DepotError.self) { try QueryExpression(predicate) }
    #expect(error?.code == .predicate)
    #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: refused)
  func `what the service doesn't have is refused by its name`(
    predicate: Predicate<Package>,
    name: String
  ) {
    let error = #expect(throws: DepotError.self) {
      try CountRequest(Package.self, where: predicate)
    }
    #expect(error?.code == .predicate)
    #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
  }

  @Test func `an update of a property that isn't an attribute is refused`() {
    let error = #expect(throws: DepotError.self) {
      try UpdateRequest(RowSelection([Identifier<Package>(1)]), set: [.set(\Package.note, to: "x")])
    }
    #expect(error?.message == "\\Package.note isn't one of Package.attributes.")
  }
}

@Suite struct SortLoweringTests {
  @Test func `descriptors become the attributes' names and directions`() throws {
    let request = try FetchRequest(
      Package.self,
      sortBy: [
        SortDescriptor(\.size, order: .reverse), SortDescriptor(\.name),
        SortDescriptor(\.name, comparator: .lexical),
      ]
    )
    #expect(
      request.sort == [
        SortKey("installedSize", descending: true), SortKey("name"), SortKey("name"),
      ]
    )
  }

  @Test func `truth values, optional values, and paths can be sorted by`() throws {
    let request = try FetchRequest(
      Country.self,
      sortBy: [
        SortDescriptor(\.isIsland), SortDescriptor(\.isFree, order: .reverse),
        SortDescriptor(\.leader?.name), SortDescriptor(\.capital.city),
        SortDescriptor(\.resort?.zip), SortDescriptor(\.resort?.city),
        SortDescriptor(localized: \.name), SortDescriptor(\.leader?.id),
        SortDescriptor(\.id), SortDescriptor(localized: \.leader?.name, order: .reverse),
      ]
    )
    #expect(
      request.sort == [
        SortKey("island"), SortKey("free", descending: true), SortKey("leader.name"),
        SortKey("capital.city"), SortKey("resort.zip"), SortKey("resort.city"),
        SortKey("name", localized: true), SortKey("leader.$id"), SortKey("$id"),
        SortKey("leader.name", descending: true, localized: true),
      ]
    )
    let provinces = try FetchRequest(
      Province.self,
      sortBy: [SortDescriptor(\.country?.leader?.age), SortDescriptor(\.country?.isFree)]
    )
    #expect(provinces.sort == [SortKey("country.leader.age"), SortKey("country.free")])
  }

  @Test func `truth values are sorted in memory as in the service`() {
    let island = { (name: String, isIsland: Bool) in
      var country = Country(name: name)
      country.isIsland = isIsland
      return country
    }
    let countries = [island("Iceland", true), island("Norway", false)]
    let sorted = countries.sorted(using: SortDescriptor(\Country.isIsland))
    #expect(sorted.map(\.name) == ["Norway", "Iceland"])
    let names = ["b", "a10", "É", "A9", "e"].map { Country(name: $0) }
    let inOrder = names.sorted(using: SortDescriptor(localized: \Country.name))
    #expect(inOrder.map(\.name) == ["A9", "a10", "b", "e", "É"])
  }

  @Test func `sorting by a property that isn't an attribute is refused`() {
    #expect(throws: DepotError.self) {
      try FetchRequest(Package.self, sortBy: [SortDescriptor(\.note)])
    }
  }
}
