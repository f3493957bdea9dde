import DepotProtocol
import DepotSQLite
import Testing

@testable import DepotEngine

/// Reads a history as it is stored.
struct HistoryFixture {
  let path: String

  /// The rows of the transactions after a token as `insert Item [[1,1]]`, several lines for several rows; the
  /// first row of a transaction without changes is empty.
  func lines(after token: Int64 = 0) throws -> [String] {
    try records(after: token).map { record in
      guard let entity = record.entity, let kind = record.kind else { return "" }
      return "\(kind.name) \(entity) \(try record.json())"
    }
  }

  /// The rows of the history about transactions after a token.
  func records(after token: Int64 = 0) throws -> [HistoryRecord] {
    try Connection(path: path, access: .reader).statement(
      "SELECT \(HistoryTable.fullRow) FROM depot_history WHERE token > \(token) ORDER BY id"
    ).rows { try HistoryRecord($0) }
  }

  /// The token of the last transaction; 0 if there is none.
  func head() throws -> Int64 {
    let result = try rows("SELECT max(token) FROM depot_history", in: path)
    if case .integer(let head)? = result.first?.first { return head }
    return 0
  }
}

extension HistoryRecord {
  /// The changes as JSON: ranges of insertions as `[first,last]`, other changes with `id`, `v`, and `p`, the
  /// properties' names or their values, of an update the old and the new one.
  func json() throws -> String {
    let (ranges, changes) = (try ranges(), try changes())
    return JSONWriter.text { writer in
      if kind == .insert {
        return writer.array(ranges) { $0.identifiers([$1.lowerBound, $1.upperBound]) }
      }
      writer.array(changes) { writer, change in
        writer.object { writer in
          writer.member("id", change.identifier)
          if let version = change.version { writer.member("v", version) }
          if !change.properties.isEmpty, change.properties.allSatisfy({ $0.content == .name }) {
            return writer.member("p", change.properties.map(\.name))
          }
          writer.member("p") { writer in
            for property in change.properties {
              writer.name(property.name)
              writer.write(property.content)
            }
          }
        }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ content: RecordedChange.Content) {
    switch content {
    case .name: raw("null")
    case .last(let value): value.write(.number, to: &self)
    case .values(let old, let new):
      array([old, new]) { $1.write(.number, to: &$0) }
    case .links(let added, let removed): object { $0.addLinks(added, removed, .number) }
    }
  }
}

extension StoreFixture {
  /// Returns what `body` adds to the history.
  func recorded(_ path: String, _ body: () async throws -> Void) async throws -> [String] {
    let history = HistoryFixture(path: path)
    let head = try history.head()
    try await body()
    return try history.lines(after: head)
  }

  /// Returns what the store makes known while `body` runs.
  func told(_ body: () async throws -> Void) async throws -> [CommittedChanges] {
    _ = changes.takeAll()
    store.interest.raise()
    defer { store.interest.lower() }
    try await body()
    return changes.takeAll()
  }

  /// Sends an operation as JSON.
  @discardableResult
  func call(_ name: String, _ json: String, key: String? = nil) async throws -> JSONValue {
    try await write(Operation(name, json), key: key)
  }
}

extension Schema {
  /// Every kind of property: scalars, a composite, a derived and a large value, a hierarchy, and relationships
  /// of each kind.
  static let recorded = Schema(entities: [
    Entity(
      name: "Node",
      attributes: [
        Attribute(name: "name", type: .string, isOptional: true, isUnique: true),
        Attribute(name: "size", type: .int64, isOptional: true),
        Attribute(name: "rate", type: .double, isOptional: true),
        Attribute(name: "day", type: .date, isOptional: true),
        Attribute(name: "price", type: .decimal, isOptional: true),
        Attribute(name: "mark", type: .uuid, isOptional: true),
        Attribute(name: "bytes", type: .data, isOptional: true),
        Attribute(name: "list", type: .int64, collection: .array, isOptional: true),
        Attribute(name: "any", type: .json, isOptional: true),
        Attribute(
          name: "home",
          type: .composite,
          properties: [
            Attribute(name: "city", type: .string),
            Attribute(name: "zip", type: .int64, isOptional: true),
          ],
          isOptional: true
        ),
        Attribute(name: "image", type: .data, isOptional: true, options: .externalStorage),
        Attribute(name: "upper", type: .string, isOptional: true, derivation: "uppercase(name)"),
      ],
      relationships: [
        Relationship(name: "parent", destination: "Node", inverse: "children"),
        Relationship(
          name: "children",
          destination: "Node",
          inverse: "parent",
          isToMany: true,
          isOrdered: true,
          deleteRule: .cascade
        ),
        Relationship(
          name: "tags",
          destination: "Tag",
          inverse: "nodes",
          isToMany: true,
          isOrdered: true
        ),
      ]
    ),
    Entity(
      name: "Leaf",
      parent: "Node",
      attributes: [Attribute(name: "color", type: .string, isOptional: true)]
    ),
    Entity(
      name: "Tag",
      attributes: [Attribute(name: "label", type: .string, isOptional: true)],
      relationships: [
        Relationship(name: "nodes", destination: "Node", inverse: "tags", isToMany: true)
      ]
    ),
    Entity(
      name: "Named",
      attributes: [
        Attribute(name: "a", type: .int64, isOptional: true),
        Attribute(
          name: "b",
          type: .int64,
          isOptional: true,
          options: .preserveValueOnDeletion
        ),
      ],
      history: .names
    ),
    Entity(
      name: "Quiet",
      attributes: [Attribute(name: "a", type: .int64, isOptional: true)],
      history: HistoryPolicy.none
    ),
    Entity(
      name: "Loud",
      parent: "Quiet",
      attributes: [Attribute(name: "b", type: .int64, isOptional: true)],
      history: .values
    ),
  ])
}
