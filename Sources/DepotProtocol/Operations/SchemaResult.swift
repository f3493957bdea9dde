/// The result of a definition of the schema.
@Memberwise
public struct SchemaResult: Hashable, Sendable {
  public var isChanged: Bool
  /// A sentence for each change.
  public var changes: [String]
  /// The fingerprint of the schema that the store now has.
  public var fingerprint: String
  /// The version of that schema.
  public var version: SchemaVersion?
  /// The paths of the copies made before rows were migrated, or to be made.
  public var backups: [String] = []
  /// The plan of a dry run for each store.
  ///
  /// It has `steps`, `problems`, `duplicates`, `violations`, and the expected `milliseconds`.
  public var plans: [JSONValue] = []

  /// The path of the copy, if the container has only one store.
  public var backup: String? { backups.first }
  /// The plan of a dry run, if the container has only one store.
  public var plan: JSONValue? { plans.first }
}

extension SchemaResult {
  /// Reads a reply, ignoring unknown members.
  package init(_ value: JSONValue) {
    isChanged = value["changed"]?.bool ?? false
    changes = value["changes"]?.array?.compactMap(\.string) ?? []
    fingerprint = value["schema"]?.string ?? ""
    version = value["version"]?.string.flatMap { SchemaVersion($0) }
    // A container of several stores replies with lists.
    backups = value["backups"]?.array?.compactMap(\.string) ?? []
    backups += [value["backup"]?.string].compactMap(\.self)
    plans = value["plans"]?.array ?? [value["plan"]].compactMap(\.self)
  }

  /// The members of the answer of a container with one store.
  package var members: [String: JSONValue] {
    var result: [String: JSONValue] = [
      "changed": .bool(isChanged), "changes": .array(changes.map(JSONValue.string)),
      "schema": .string(fingerprint),
    ]
    result["version"] = version.map { .string($0.description) }
    result["backup"] = backup.map(JSONValue.string)
    result["plan"] = plan
    return result
  }

  /// The members of the answer of a container with several stores.
  package var membersOfSeveral: [String: JSONValue] {
    var result = members
    (result["backup"], result["plan"]) = (nil, nil)
    if !backups.isEmpty { result["backups"] = .array(backups.map(JSONValue.string)) }
    if !plans.isEmpty { result["plans"] = .array(plans) }
    return result
  }
}
