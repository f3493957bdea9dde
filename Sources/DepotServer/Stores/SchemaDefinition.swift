internal import DepotEngine
internal import DepotProtocol

/// The definition of one schema over several stores.
///
/// All stores define their part in a transaction that stays open, while nothing else is written.
/// They commit when every one of them has succeeded. Only a failing disk, or a crash, between the
/// commits can leave some parts uncommitted; defining the same schema again completes it.
///
/// It lives on the server's thread.
final class SchemaDefinition {
  typealias Completion = (Result<SchemaResult, DepotError>) -> Void
  /// Sends a store its part of the schema; the result is passed to ``finish(_:_:)``.
  typealias Send = (
    SchemaDefinition, _ part: Int, _ host: StoreHost, Operation, WriteRequest.Phase
  ) -> Void

  private let container: Container
  private let parts: [(host: StoreHost, schema: Schema)]
  private let isDryRun: Bool
  private let options: MigrationOptions
  private let send: Send
  private let completion: Completion
  private var phase = WriteRequest.Phase.whole
  private var waiting = 0
  private var results: [Int: JSONValue] = [:]
  private var failure: DepotError?
  private var committed = 0

  /// - Throws: ``DepotError`` `schema.invalid` if the schema can't be divided,
  ///   `unavailable.readonly` if a read-only store would have to change.
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
      guard host.reader != nil else { throw host.refuse() }
      if host.isReadOnly {
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

  /// Asks the stores, and continues when they have answered.
  func begin() {
    guard !parts.isEmpty else {
      return completion(
        .success(SchemaResult(isChanged: false, changes: [], fingerprint: container.fingerprint))
      )
    }
    // A store may have been taken out of service.
    if let refusal { return completion(.failure(refusal)) }
    ask(parts.indices, parts.count == 1 || isDryRun ? .whole : .prepare)
  }

  private var refusal: DepotError? {
    parts.lazy.map(\.host).first { $0.reader == nil }?.refuse()
  }

  private func ask(_ indices: some Collection<Int>, _ phase: WriteRequest.Phase) {
    self.phase = phase
    waiting = indices.count
    for index in indices {
      let operation = Operation.defineSchema(parts[index].schema, isDryRun: isDryRun, options)
      send(self, index, parts[index].host, operation, phase)
    }
  }

  /// Handles the answer of a store: the terminal frame of a call, on a line.
  func finish(_ part: Int, _ frame: [UInt8]) {
    switch (StoreAnswer.result(frame), phase) {
    case (.success(let value), .whole), (.success(let value), .prepare): results[part] = value
    case (.success, .commit): committed += 1
    case (.success, .undo): break
    case (.failure(let error), _): failure = failure?.adding(error) ?? error
    }
    waiting -= 1
    if waiting == 0 { goOn() }
  }

  private func goOn() {
    if phase == .prepare {
      failure = failure ?? refusal
      // A store that failed to prepare its part has undone it, and so has one that was closed.
      let prepared = results.keys.filter { parts[$0].host.reader != nil }.sorted()
      if !prepared.isEmpty { return ask(prepared, failure == nil ? .commit : .undo) }
    }
    if let failure { return completion(.failure(explain(failure))) }
    let all = parts.indices.compactMap { results[$0].map(SchemaResult.init) }
    completion(
      .success(
        SchemaResult(
          isChanged: all.contains(where: \.isChanged),
          changes: all.flatMap(\.changes),
          fingerprint: isDryRun ? futureFingerprint : container.fingerprint,
          version: all.lazy.compactMap(\.version).first,
          backups: isDryRun ? [] : all.flatMap(\.backups),
          plans: isDryRun ? all.flatMap(\.plans) : []
        )
      )
    )
  }

  private func explain(_ error: DepotError) -> DepotError {
    guard committed > 0 else { return error }
    var error = error
    error.message += " Other stores of the container have their part of the schema."
    error.hint = "Define the schema again, which does the rest."
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

extension DepotError {
  /// Merges the refusals of two stores with the same reason, so that the error lists all.
  fileprivate func adding(_ other: DepotError) -> DepotError {
    guard [.loss, .mismatch].contains(code), other.code == code,
      case .object(var members)? = details, let more = other.details?.object
    else { return self }
    for case (let name, .array(let list)) in members {
      members[name] = .array(list + (more[name]?.array ?? []))
    }
    var result = details(members)
    result.message += " " + other.message
    return result
  }
}

/// The terminal frame, on a line, of a call made by the server itself.
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
