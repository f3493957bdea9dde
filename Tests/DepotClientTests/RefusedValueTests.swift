import DepotProtocol
import Testing

@testable import DepotClient
@testable import DepotClientCore

/// A value whose encoding may fail, or be nested deeply.
private struct Leaf: JSONAttributeValue, Hashable {
  var depth = 0
  var refuses = false

  struct Refusal: Error {}

  init(depth: Int = 0, refuses: Bool = false) {
    self.depth = depth
    self.refuses = refuses
  }

  init(from decoder: any Decoder) throws {
    let inner = try [String: Leaf](from: decoder)
    depth = (inner["a"]?.depth).map { $0 + 1 } ?? 0
  }

  func encode(to encoder: any Encoder) throws {
    if refuses { throw Refusal() }
    try (depth == 0 ? [:] : ["a": Leaf(depth: depth - 1)]).encode(to: encoder)
  }
}

private struct Twig: Composite, Hashable {
  var leaf: Leaf?

  static let attributes: RecordAttributes<Twig> = [.init(\.leaf, "leaf")]

  init(leaf: Leaf?) { self.leaf = leaf }

  init(from row: inout RowReader) throws(DepotError) { leaf = try row.next() }

  func write(to row: inout RowWriter) { row.append(leaf) }
}

private struct Tree: Record, Hashable {
  var id: Identifier<Tree>?
  var version: Int64 = 1
  var name: String
  var leaf: Leaf?
  var twig: Twig
  var facts: [String: Int] = [:]

  static let entity = "Tree"
  static let attributes: RecordAttributes<Tree> = [
    .identifier(\.id), .version(\.version), .init(\.name, "name"), .init(\.leaf, "leaf"),
    .init(\.twig, "twig"), .init(\.facts, "facts"),
  ]

  init(name: String, leaf: Leaf? = nil, twig: Twig = Twig(leaf: nil)) {
    self.name = name
    self.leaf = leaf
    self.twig = twig
  }

  init(from row: inout RowReader) throws(DepotError) {
    id = Identifier(row.identifier)
    version = row.version
    name = try row.next()
    leaf = try row.next()
    twig = try row.next()
    facts = try row.next()
  }

  func write(to row: inout RowWriter) {
    row.append(name)
    row.append(leaf)
    row.append(twig)
    row.append(facts)
  }
}

@Suite struct RefusedValueTests {
  private static func stored() -> Tree {
    var tree = Tree(name: "a")
    tree.id = Identifier(1)
    return tree
  }

  @Test func `a change isn't dropped because the service would refuse it`() throws {
    var deep = Self.stored()
    deep.leaf = Leaf(depth: 100)
    var odd = Self.stored()
    odd.facts = ["\0": 1]
    for new in [deep, odd] {
      var save = Save()
      try save.update(from: Self.stored(), to: new)
      #expect(save.request.updates.map(\.columns.count) == [3])
      var whole = Save()
      try whole.update(from: new, to: Self.stored())
      #expect(!whole.isEmpty)
    }
  }

  @Test func `a save isn't made of values that can't be encoded`() {
    var new = Self.stored()
    new.leaf = Leaf(refuses: true)
    var save = Save()
    let error = #expect(throws: DepotError.self) {
      try save.update(from: Self.stored(), to: new)
    }
    #expect(error?.message.contains("Leaf can't be encoded as JSON: Refusal()") == true)
    let other = #expect(throws: DepotError.self) {
      try save.update(Self.stored(), set: [.set(\.twig, to: Twig(leaf: Leaf(refuses: true)))])
    }
    #expect(other?.code == .type)
    #expect(save.isEmpty)
  }

  @Test func `no request is sent without a value that it should have`() async throws {
    let service = try RealService()
    let client = try await service.client()
    try await client.define(try Schema(for: Tree.self))
    let id = try await client.insert([Tree(name: "a", leaf: Leaf(depth: 1))])[0]
    let bad = Leaf(refuses: true)
    let connection = try BlockingConnection(socket: service.socket)
    let calls: [() async throws -> Void] = [
      { _ = try await client.insert([Tree(name: "b", leaf: bad)]) },
      { try await client.update(id, set: [.set(\.name, to: "c"), .set(\.leaf, to: bad)]) },
      {
        let twig = Twig(leaf: bad)
        try await client.update(id, set: [.set(\.name, to: "c"), .set(\.twig, to: twig)])
      },
      { try connection.update(id, set: [.set(\.name, to: "c"), .set(\.leaf, to: bad)]) },
      {
        var save = Save()
        save.insert(Tree(name: "d", twig: Twig(leaf: bad)))
        try await client.save(save)
      },
    ]
    for (number, call) in calls.enumerated() {
      let error = await #expect(throws: DepotError.self, "\(number)") { try await call() }
      #expect(error?.code == .type, "\(number)")
      #expect(error?.message.contains("can't be encoded") == true, "\(number)")
    }
    let rows = try await client.fetch(Tree.self)
    #expect(rows.map(\.name) == ["a"])
    #expect(rows.first?.leaf == Leaf(depth: 1))
  }

  @Test func `what is too deep for the service is an error, and the connection goes on`()
    async throws
  {
    let service = try RealService()
    let client = try await service.client()
    try await client.define(try Schema(for: Tree.self))
    let id = try await client.insert([Tree(name: "a")])[0]
    for depth in [56, 57, 58, 61, 62, 70] {
      await #expect(throws: DepotError.self, "\(depth)") {
        try await client.update(id, set: [.set(\.leaf, to: Leaf(depth: depth))])
      }
    }
    let old = try await client.get(id)
    var new = old
    new.facts = ["\0": 1]
    var save = Save()
    try save.update(from: old, to: new)
    await #expect(throws: DepotError.self) { try await client.save(save) }
    try await client.update(id, set: [.set(\.leaf, to: Leaf(depth: 50))])
    #expect(try await client.get(id).leaf == Leaf(depth: 50))
  }
}
