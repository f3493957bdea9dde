internal import DepotEngine
internal import DepotProtocol

/// The definition of one schema over several stores.
///
/// All stores try their part out first, and are told to take it when every one of them could. Each takes
/// it in a transaction of its own; if one fails after that, for want of room or because another write
/// came between, defining the same schema again does the rest.
///
/// It lives on the server's thread.
final class SchemaDefinition {
  /// What became of it.
  struct Outcome {
    var isChanged: Bool
    var changes: [String]
    /// The fingerprint of the schema of all stores together.
    var fingerprint: String
    /// The version of the schema.
    var version: SchemaVersion?
    /// Where the stores were copied that were migrated.
    var backups: [String] = []
    /// What migrations would do.
    var plans: [JSONValue] = []

    /// The members of the result.
    var members: [String: JSONValue] {
      var result: [String: JSONValue] = [
        "changed": .bool(isChanged), "changes": .array(changes.map(JSONValue.string)),
        "schema": .string(fingerprint),
      ]
      if let version { result["version"] = .string(version.description) }
      if !backups.isEmpty { result["backups"] = .array(backups.map(JSONValue.string)) }
      if !plans.isEmpty { result["plans"] = .array(plans) }
      return result
    }
  }

  typealias Completion = (Result<Outcome, DepotError>) -> Void
  /// Hands the part of a store over to it; whatever comes of it goes to ``finish(_:_:)``.
  typealias Send = (
    SchemaDefinition, _ part: Int, _ host: StoreHost, Operation, _ isFinal: Bool
  ) -> Void

  private let container: Container
  private let parts: [(host: StoreHost, schema: Schema)]
  private let isDryRun: Bool
  private let options: MigrationOptions
  private let send: Send
  private let completion: Completion
  private var isFinal = false
  private var waiting = 0
  private var results: [Int: JSONValue] = [:]
  private var failure: DepotError?

  /// - Throws: ``DepotError`` `schema.invalid` if the schema can't be divided,
  ///   `unavailable.readonly` if a store would have to change that can't.
  init(
    _ schema: Schema,
    of container: Container,
    isDryRun: Bool,
    _ options: MigrationOptions = MigrationOptions(),
    send: @escaping Send,
    completion: @escaping Completion
  ) throws(DepotError) {
    self.container = container
    self.isDryRun = isDryRun
    self.options = options
    self.send = send
    self.completion = completion
    let divided = container.isUndivided ? [schema] : try container.placement.divide(schema)
    var parts: [(StoreHost, Schema)] = []
    for (host, part) in zip(container.hosts, divided) {
      guard host.reader != nil else { throw host.refusal }
      if host.configuration.isReadOnly {
        try Self.requireEqual(host, part)
      } else {
        parts.append((host, part))
      }
    }
    self.parts = parts
  }

  private static func requireEqual(_ host: StoreHost, _ part: Schema) throws(DepotError) {
    let comparison = SchemaComparison(from: host.catalog.schema, to: part)
    let changes = comparison.changes.map(\.description) + comparison.differences
    guard !changes.isEmpty else { return }
    throw DepotError(
      .readOnly,
      "The store \(host.name) is open for reading only, and its schema differs: "
        + changes.joined(separator: "; ") + "."
    )
    .details(["differences": .array(changes.map(JSONValue.string))])
  }

  /// Asks the stores, and goes on when they have answered.
  func begin() {
    guard !parts.isEmpty else {
      return completion(
        .success(Outcome(isChanged: false, changes: [], fingerprint: container.fingerprint))
      )
    }
    isFinal = parts.count == 1 && !isDryRun
    ask()
  }

  private func ask() {
    // A store may have been taken out of service since it was asked first.
    if let host = parts.lazy.map(\.host).first(where: { $0.reader == nil }) {
      return completion(.failure(host.refusal))
    }
    waiting = parts.count
    for (index, part) in parts.enumerated() {
      let operation = Operation.defineSchema(part.schema, isDryRun: !isFinal, options)
      send(self, index, part.host, operation, isFinal)
    }
  }

  /// Takes the answer of a store: the terminal frame of a call, on a line.
  func finish(_ part: Int, _ frame: [UInt8]) {
    switch StoreAnswer.result(frame) {
    case .success(let value): results[part] = value
    case .failure(let error): failure = failure ?? error
    }
    waiting -= 1
    if waiting == 0 { goOn() }
  }

  private func goOn() {
    if let failure { return completion(.failure(explain(failure))) }
    guard isFinal || isDryRun else {
      isFinal = true
      return ask()
    }
    let all = parts.indices.compactMap { results[$0] }
    completion(
      .success(
        Outcome(
          isChanged: all.contains { $0["changed"]?.bool == true },
          changes: all.flatMap { $0["changes"]?.array?.compactMap(\.string) ?? [] },
          fingerprint: isDryRun ? futureFingerprint : container.fingerprint,
          version: all.lazy.compactMap { $0["version"]?.string }.first.flatMap(SchemaVersion.init),
          backups: isDryRun ? [] : all.compactMap { $0["backup"]?.string },
          plans: isDryRun ? all.compactMap { $0["plan"] } : []
        )
      )
    )
  }

  private func explain(_ error: DepotError) -> DepotError {
    guard isFinal, parts.count > 1, !results.isEmpty else { return error }
    var error = error
    error.message += " Other stores of the container have their part of the schema."
    return error
  }

  /// The fingerprint that the schema would have.
  private var futureFingerprint: String {
    let schemas = container.hosts.map { host in
      parts.first { $0.host === host }
        .map { SchemaComparison(from: host.catalog.schema, to: $0.schema).result }
        ?? host.catalog.schema
    }
    return Container.union(of: schemas).fingerprint
  }
}

/// The terminal frame of a call that the server itself made, on a line.
enum StoreAnswer {
  static func result(_ frame: [UInt8]) -> Result<JSONValue, DepotError> {
    do throws(DepotError) {
      var reader = try JSONObjectReader(JSONDocument(frame).root)
      if let node = reader.optional("err") { return .failure(try DepotError(node)) }
      return .success(try JSONValue(reader.required("ok")))
    } catch {
      return .failure(error)
    }
  }
}
