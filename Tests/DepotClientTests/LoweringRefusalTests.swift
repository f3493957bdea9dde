import DepotClient
import DepotProtocol
import FoundationEssentials
import Testing

import struct FoundationInternationalization.SortDescriptor

@Suite struct LoweringRefusalTests {
  static let refused: [(Predicate<Package>, String)] = [
    (#Predicate { $0.size % 2 == 0 }, "can't use %."),
    (#Predicate { $0.name.count > 3 }, "a property of a value"),
    (#Predicate { $0.note == "x" }, "\\Package.note isn't one of Package.attributes."),
    (#Predicate { ($0.section ?? "misc") == "misc" }, "?? for a value"),
    (#Predicate { $0.name.allSatisfy { $0 == $0 } }, "allSatisfy(_:)"),
    (#Predicate { ($0.name as Any as? Int) == nil }, "as?"),
    (#Predicate { ($0.isEssential ? $0.size : 1) == 1 }, "? : for a value"),
    (#Predicate { ($0.size > 1) == ($0.size > 2) }, "== between two conditions"),
  ]

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

  @Test func `sorting by a property that isn't an attribute is refused`() {
    #expect(throws: DepotError.self) {
      try FetchRequest(Package.self, sortBy: [SortDescriptor(\.note)])
    }
  }
}
