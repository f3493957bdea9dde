import DepotProtocol

@testable import DepotClientCore
@testable import DepotCommands

/// A store in memory that does what saves ask for.
final class FakeGraphStore: GraphService {
  struct Row: Equatable {
    var entity: String
    var values: [String: JSONValue]
  }

  var rows: [Int64: Row] = [:]
  /// The attribute of each entity that is unique.
  var uniques: [String: String] = ["Package": "name", "Maintainer": "email"]
  /// What happens to the next requests: `nil` for nothing.
  var failures: [Failure?] = []
  private(set) var saves = 0
  private var outcomes: [String: (SaveRequest, SaveResult)] = [:]

  enum Failure {
    /// The connection is lost before the request arrives.
    case before
    /// The connection is lost before the answer arrives.
    case after
  }

  private var underway: Result<SaveResult, any Error>?

  func begin(_ request: SaveRequest, key: String?) {
    // Nobody begins another one before.
    precondition(underway == nil)
    underway = Result { try store(request, key: key) }
  }

  func finish() throws -> SaveResult {
    defer { underway = nil }
    guard let underway else { throw DepotError(.bug, "No save was begun.") }
    return try underway.get()
  }

  private func store(_ request: SaveRequest, key: String?) throws -> SaveResult {
    saves += 1
    let failure = failures.isEmpty ? nil : failures.removeFirst()
    if failure == .before { throw DepotError(.disconnected, "Lost.") }
    var result: SaveResult
    if let key, let (earlier, outcome) = outcomes[key] {
      guard earlier == request else { throw DepotError(.keyReused, "Another request.") }
      result = outcome
    } else {
      let before = rows
      do {
        result = try apply(request)
      } catch {
        rows = before
        throw error
      }
      if let key { outcomes[key] = (request, result) }
    }
    if failure == .after { throw DepotError(.disconnected, "Lost.") }
    return result
  }

  private func apply(_ request: SaveRequest) throws -> SaveResult {
    var result = SaveResult()
    var next = (rows.keys.max() ?? 0) + 1
    for insertion in request.inserts {
      for row in try table(insertion.rows) {
        result.identifiers[row[0].string ?? ""] = next
        next += 1
      }
    }
    for (part, insertion) in request.inserts.enumerated() {
      for (number, row) in try table(insertion.rows).enumerated() {
        let values = try resolved(row, result.identifiers)
        let members = Dictionary(uniqueKeysWithValues: zip(insertion.columns, values).dropFirst())
        if let unique = uniques[insertion.entity],
          rows.values.contains(where: {
            $0.entity == insertion.entity && $0.values[unique] == members[unique]
          })
        {
          throw DepotError(.unique, "Taken.").at("/args/insert/\(part)/rows/\(number)/0")
        }
        rows[result.identifiers[row[0].string ?? ""] ?? 0] = Row(
          entity: insertion.entity,
          values: members
        )
        result.inserted += 1
      }
    }
    for change in request.updates {
      for row in try table(change.rows) {
        let values = try resolved(row, result.identifiers)
        guard let identifier = values[0].int64 else { throw DepotError(.type, "No id.") }
        for (column, value) in zip(change.columns, values).dropFirst() {
          if let added = value["add"]?.array {
            let old = rows[identifier]?.values[column]?.array ?? []
            rows[identifier]?.values[column] = .array(old + added.filter { !old.contains($0) })
          } else {
            rows[identifier]?.values[column] = value
          }
        }
        result.updated += 1
      }
    }
    return result
  }

  private func table(_ batch: RowBatch) throws -> [[JSONValue]] {
    try JSONValue(parsing: batch.json).array?.compactMap(\.array) ?? []
  }

  private func resolved(
    _ row: [JSONValue],
    _ identifiers: [String: Int64]
  ) throws -> [JSONValue] {
    try row.map { value in
      if let name = value.string, name.hasPrefix("#") {
        guard let identifier = identifiers[name] else { throw DepotError(.type, "No \(name).") }
        return .int64(identifier)
      }
      return try value.array.map { .array(try resolved($0, identifiers)) } ?? value
    }
  }

  func outcome(
    of request: SaveRequest,
    inGroup group: String,
    after token: HistoryToken?
  ) throws -> SaveResult? { nil }

  func find(_ key: NaturalKey, _ values: [Value]) throws -> [(Value, Int64)] {
    rows.compactMap { identifier, row in
      if key.isIdentifier {
        return row.entity == key.entity && values.contains(.int64(identifier))
          ? (.int64(identifier), identifier) : nil
      }
      guard row.entity == key.entity, let text = row.values[key.path]?.string,
        values.contains(.string(text))
      else { return nil }
      return (.string(text), identifier)
    }
  }

  /// The names that the packages lead to, by their own.
  var dependencies: [String: [String]] {
    var result: [String: [String]] = [:]
    for row in rows.values where row.entity == "Package" {
      result[row.values["name"]?.string ?? "", default: []] +=
        (row.values["depends"]?.array ?? []).compactMap { value in
          value.int64.flatMap { rows[$0]?.values["name"]?.string }
        }
    }
    return result
  }
}

/// Packages that depend on each other and have maintainers.
enum GraphFixture {
  static let schema = Schema(entities: [
    Entity(
      name: "Package",
      attributes: [
        Attribute(name: "name", type: .string, isUnique: true),
        Attribute(name: "size", type: .int64, isOptional: true),
        Attribute(name: "tags", type: .string, collection: .array, isOptional: true),
      ],
      relationships: [
        Relationship(name: "depends", destination: "Package", isToMany: true),
        Relationship(name: "maintainer", destination: "Maintainer"),
        Relationship(name: "source", destination: "Package", isOptional: true),
      ]
    ),
    Entity(
      name: "Maintainer",
      attributes: [
        Attribute(name: "email", type: .string, isUnique: true),
        Attribute(name: "name", type: .string, isOptional: true),
      ]
    ),
    Entity(
      name: "Node",
      attributes: [Attribute(name: "label", type: .string, isUnique: true)],
      relationships: [Relationship(name: "parent", destination: "Node", isOptional: false)]
    ),
  ])
}
