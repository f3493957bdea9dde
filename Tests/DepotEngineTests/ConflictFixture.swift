import DepotEngine
import DepotProtocol

extension Schema {
  /// People with optional properties, a unique code, and friends.
  static let people = Schema(entities: [
    Entity(
      name: "Person",
      attributes: [
        Attribute(name: "a", type: .int64, isOptional: true),
        Attribute(name: "b", type: .int64, isOptional: true),
        Attribute(name: "c", type: .int64, isOptional: true),
        Attribute(name: "code", type: .string, isOptional: true, isUnique: true),
      ],
      relationships: [
        Relationship(name: "friends", destination: "Person", inverse: "friendOf", isToMany: true),
        Relationship(name: "friendOf", destination: "Person", inverse: "friends", isToMany: true),
        Relationship(name: "boss", destination: "Person"),
      ]
    ),
    Entity(
      name: "Required",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(name: "size", type: .int64, defaultValue: .int64(5)),
      ],
      uniques: [["name"]]
    ),
  ])
}

extension StoreFixture {
  /// Makes a save that is written as JSON.
  @discardableResult
  func save(_ json: String, key: String? = nil) async throws -> JSONValue {
    try await call("save", json, key: key)
  }

  /// Returns the error of a save, or `nil`.
  func saveError(_ json: String) async -> DepotError? {
    await code { try await save(json) }
  }
}

extension JSONValue {
  /// The decisions about a save's conflicts.
  var decisions: [String?] { self["conflicts"]?.array?.map { $0["decision"]?.string } ?? [] }
}
