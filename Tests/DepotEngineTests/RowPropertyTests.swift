import DepotEngine
import DepotProtocol
import DepotSQLite
import TestSupport
import Testing

/// Random changes, held against a model of objects in memory.
@Suite struct RowPropertyTests {
  private typealias Link = ObjectModel.Link

  private static let links: [Link] = [
    to("A", "one", "B", "ones", "SELECT id, r_one FROM e_A WHERE r_one IS NOT NULL"),
    to("B", "ones", "A", "one", many: true, "SELECT r_one, id FROM e_A WHERE r_one IS NOT NULL"),
    to("A", "pair", "B", "pairOf", "SELECT id, r_pair FROM e_A WHERE r_pair IS NOT NULL"),
    to("B", "pairOf", "A", "pair", "SELECT r_pair, id FROM e_A WHERE r_pair IS NOT NULL"),
    to(
      "A",
      "many",
      "B",
      "manyOf",
      many: true,
      ordered: true,
      #"SELECT source, target FROM "j_A.many" ORDER BY source, source_order"#
    ),
    to(
      "B",
      "manyOf",
      "A",
      "many",
      many: true,
      ordered: true,
      most: 3,
      #"SELECT target, source FROM "j_A.many" ORDER BY target, target_order"#
    ),
    to(
      "A",
      "children",
      "B",
      "owner",
      many: true,
      ordered: true,
      rule: .cascade,
      "SELECT r_owner, id FROM e_B WHERE r_owner IS NOT NULL ORDER BY r_owner, o_owner"
    ),
    to("B", "owner", "A", "children", "SELECT id, r_owner FROM e_B WHERE r_owner IS NOT NULL"),
    to(
      "A",
      "guards",
      "B",
      "guarded",
      many: true,
      rule: .deny,
      "SELECT r_guarded, id FROM e_B WHERE r_guarded IS NOT NULL"
    ),
    to("B", "guarded", "A", "guards", "SELECT id, r_guarded FROM e_B WHERE r_guarded IS NOT NULL"),
    to("A", "friend", "A", "friend", "SELECT id, r_friend FROM e_A WHERE r_friend IS NOT NULL"),
    to(
      "A",
      "friends",
      "A",
      "friends",
      many: true,
      ordered: true,
      #"SELECT source, target FROM "j_A.friends" ORDER BY source, source_order"#
    ),
    to(
      "A",
      "next",
      "A",
      nil,
      rule: .cascade,
      "SELECT id, r_next FROM e_A WHERE r_next IS NOT NULL"
    ),
    to("B", "plain", "A", nil, many: true, #"SELECT source, target FROM "j_B.plain""#),
    to(
      "B",
      "must",
      "A",
      "musts",
      optional: false,
      "SELECT id, r_must FROM e_B WHERE r_must IS NOT NULL"
    ),
    to(
      "A",
      "musts",
      "B",
      "must",
      many: true,
      "SELECT r_must, id FROM e_B WHERE r_must IS NOT NULL"
    ),
  ]

  private static func to(
    _ owner: String,
    _ name: String,
    _ destination: String,
    _ inverse: String?,
    many: Bool = false,
    ordered: Bool = false,
    optional: Bool = true,
    rule: Relationship.DeleteRule = .nullify,
    most: Int = 0,
    _ sql: String
  ) -> Link {
    Link(
      owner: owner,
      relationship: Relationship(
        name: name,
        destination: destination,
        inverse: inverse,
        isToMany: many,
        isOptional: optional,
        isOrdered: ordered,
        deleteRule: rule,
        maxCount: most
      ),
      sql: sql
    )
  }

  private static let schema = Schema(
    entities: ["A", "B"].map { name in
      Entity(
        name: name,
        attributes: [Attribute(name: "n", type: .int64, isOptional: true)],
        relationships: links.filter { $0.owner == name }.map(\.relationship)
      )
    }
  )

  @Test(arguments: seeds(6))
  func `every change does to rows what it does to objects`(seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    try await withStore(Self.schema) { store, path in
      var model = ObjectModel(Self.links)
      var outcomes: [Bool: Int] = [:]
      for step in 0..<150 {
        let change = Change(model, &random)
        // The same change as a save must do the same.
        let operation = step % 2 == 0 ? change.operation : change.operation.asSave
        let result = await store.write([operation])[0]
        var next = model
        var isAllowed = true
        do {
          let ids = try? result.get()["ids"]
          let identifier = ids?.array?.first?.int64 ?? ids?["#n"]?.int64
          try change.apply(to: &next, identifier ?? 0)
          try next.validate()
          model = next
        } catch {
          isAllowed = false
        }
        let isDone = (try? result.get()) != nil
        #expect(isDone == isAllowed, "step \(step): \(change) gave \(result)")
        outcomes[isAllowed, default: 0] += 1
        for link in Self.links {
          let stored = try Self.stored(link, in: path)
          #expect(stored == model.all(link), "step \(step), \(link.key): \(change)")
        }
        if isDone != isAllowed { break }
      }
      #expect(outcomes[true, default: 0] > 30)
      #expect(outcomes[false, default: 0] > 5)
      #expect(try await store.problems(path) == [])
    }
  }

  private static func stored(_ link: Link, in path: String) throws -> [Int64: [Int64]] {
    var result: [Int64: [Int64]] = [:]
    for row in try rows(link.sql, in: path) {
      if case .integer(let near) = row[0], case .integer(let far) = row[1] {
        result[near, default: []].append(far)
      }
    }
    return link.relationship.isOrdered ? result : result.mapValues { $0.sorted() }
  }
}

/// One random change.
private enum Change {
  case insert(String, must: Int64?, ObjectModel.Link, [Int64])
  case set(String, Int64, ObjectModel.Link, [Int64])
  case edit(String, Int64, ObjectModel.Link, add: [Int64], remove: [Int64], at: Int?)
  case delete(String, [Int64])

  init(_ model: ObjectModel, _ random: inout SeededGenerator) {
    let entity = Bool.random(using: &random) ? "A" : "B"
    let link = model.links.filter { $0.owner == entity }.randomElement(using: &random)
    guard let link else {
      self = .delete(entity, [])
      return
    }
    let isToMany = link.relationship.isToMany
    func some(_ entity: String, _ most: Int) -> [Int64] {
      let rows =
        (model.objects[entity] ?? []).sorted()
        + (Int.random(in: 0..<30, using: &random) == 0 ? [99_999] : [])
      return Array(rows.shuffled(using: &random).prefix(Int.random(in: 0...most, using: &random)))
    }
    let targets = some(link.relationship.destination, isToMany ? 4 : 1)
    let row = (model.objects[entity] ?? []).sorted().randomElement(using: &random)
    let kind = Int.random(in: 0..<10, using: &random)
    guard let row, kind > 2 || (model.objects[entity]?.count ?? 0) > 12 else {
      let musts = some("A", 1)
      self = .insert(entity, must: entity == "B" ? musts.first : nil, link, targets)
      return
    }
    if kind == 9 {
      self = .delete(entity, some(entity, 2))
    } else if isToMany, Bool.random(using: &random) {
      let remove = some(link.relationship.destination, 3).filter { !targets.contains($0) }
      let position =
        link.relationship.isOrdered && Bool.random(using: &random)
        ? Int.random(in: 0...4, using: &random) : nil
      self = .edit(entity, row, link, add: targets, remove: remove, at: position)
    } else {
      self = .set(entity, row, link, targets)
    }
  }

  private func text(_ link: ObjectModel.Link, _ targets: [Int64]) -> String {
    link.relationship.isToMany ? "\(targets)" : targets.first.map { "\($0)" } ?? "null"
  }

  var operation: DepotProtocol.Operation {
    switch self {
    case .insert(let entity, let must, let link, let targets):
      var columns = [link.relationship.name]
      var values = text(link, targets)
      if let must, columns != ["must"] {
        columns.append("must")
        values += ", \(must)"
      }
      return .insert(
        InsertRequest(entity: entity, columns: columns, rows: .text("[[\(values)]]"))
      )
    case .set(let entity, let row, let link, let targets):
      return update(entity, row, link, text(link, targets))
    case .edit(let entity, let row, let link, let add, let remove, let position):
      let position = position.map { ",\"at\":\($0)" } ?? ""
      return update(entity, row, link, "{\"add\":\(add),\"remove\":\(remove)\(position)}")
    case .delete(let entity, let rows):
      return .delete(DeleteRequest(entity: entity, rows: .identifiers(rows)))
    }
  }

  private func update(
    _ entity: String,
    _ row: Int64,
    _ link: ObjectModel.Link,
    _ value: String
  ) -> DepotProtocol.Operation {
    .update(
      UpdateRequest(
        entity: entity,
        rows: .identifiers([row]),
        columns: [link.relationship.name],
        values: .text("[[\(value)]]")
      )
    )
  }

  func apply(to model: inout ObjectModel, _ identifier: Int64) throws {
    switch self {
    case .insert(let entity, let must, let link, let targets):
      try model.check(targets, of: link.relationship.destination)
      model.create(entity, identifier)
      if let must, link.relationship.name != "must", let link = model.link("B", "must") {
        try model.set(link, identifier, [must])
      }
      try model.set(link, identifier, targets)
    case .set(_, let row, let link, let targets): try model.set(link, row, targets)
    case .edit(_, let row, let link, let add, let remove, let position):
      try model.edit(link, row, add: add, remove: remove, at: position)
    case .delete(let entity, let rows): _ = try model.delete(rows, of: entity)
    }
  }
}

extension DepotProtocol.Operation {
  /// The same change of one row, or deletion, as a save.
  fileprivate var asSave: DepotProtocol.Operation {
    func row(_ identifier: String, _ batch: RowBatch) -> RowBatch {
      .text("[[\(identifier)," + String(decoding: batch.json.dropFirst(2), as: UTF8.self))
    }
    switch self {
    case .insert(let request):
      let insertion = SaveRequest.Insertion(
        entity: request.entity,
        columns: ["$id"] + request.columns,
        rows: row("\"#n\"", request.rows)
      )
      return .save(SaveRequest(inserts: [insertion]))
    case .update(let request):
      guard case .identifiers(let identifiers) = request.rows, identifiers.count == 1 else {
        return self
      }
      let change = SaveRequest.Change(
        entity: request.entity,
        columns: ["$id"] + request.columns,
        rows: row("\(identifiers[0])", request.values)
      )
      return .save(SaveRequest(updates: [change]))
    case .delete(let request):
      guard case .identifiers(let identifiers) = request.rows else { return self }
      let deletion = SaveRequest.Deletion(entity: request.entity, identifiers: identifiers)
      return .save(SaveRequest(deletes: [deletion]))
    default: return self
    }
  }
}
