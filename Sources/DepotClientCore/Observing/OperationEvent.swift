internal import DepotProtocol

/// A function called after each operation of a connection.
///
/// It is called before the caller gets the outcome, on the thread that receives it, and delays
/// that: it should only hand events on, to a logger or to metrics, and must not use the connection.
public typealias OperationObserver = @Sendable (OperationEvent) -> Void

/// An operation that has its outcome.
///
/// ```swift
/// let client = try await Client { event in
///   if event.duration > .milliseconds(100) { logger.warning("\(event)") }
/// }
/// ```
///
/// A watch is reported when it ends. With `DEPOT_LOG=1` in the environment, the event of every
/// operation is printed to standard error, whether there is an observer or not.
public struct OperationEvent: Sendable {
  /// The operation, or its name if it was made by that.
  enum Subject: Sendable {
    case operation(Operation)
    case name(String)
  }

  /// How long the operation took since it was requested.
  ///
  /// This includes the wait for other calls, and the time that the program spent on arriving rows.
  public let duration: Duration
  /// How many rows came, were counted, or were changed; `nil` if it failed or isn't about rows.
  public let rows: Int?
  /// Why it failed: a ``DepotError``, or a `CancellationError`; `nil` if it didn't.
  public let error: (any Error)?
  private let subject: Subject

  init(_ subject: Subject, after duration: Duration, _ result: Result<JSONNode, any Error>) {
    self.subject = subject
    self.duration = duration
    switch result {
    case .success(let node):
      error = nil
      // The caller refuses a result of the wrong form.
      do { rows = try subject.isAboutRows ? node.rowCount() : nil } catch { rows = nil }
    case .failure(let failure):
      rows = nil
      error = failure
    }
  }

  private var operation: Operation? {
    if case .operation(let operation) = subject { operation } else { nil }
  }

  /// The name of the operation, such as `fetch`.
  public var name: String {
    switch subject {
    case .operation(let operation): operation.name
    case .name(let name): name
    }
  }

  /// The entity of the operation, or a save's entities, between commas; `nil` if there is none.
  public var entity: String? {
    guard case .save(let save) = operation else { return operation?.entity }
    let names = Set(
      save.inserts.map(\.entity) + save.updates.map(\.entity) + save.deletes.map(\.entity)
    )
    return names.isEmpty ? nil : names.sorted().joined(separator: ", ")
  }

  /// The condition on its rows in NSPredicate's format, with its values; `nil` if there is none.
  public var predicate: String? { operation?.predicate.map(PredicatePrinter.text) }

  /// The condition on its rows with a question mark for each value; `nil` if there is none.
  ///
  /// It is for metrics, and for logs that must not contain values.
  public var predicateShape: String? { operation?.predicate.map(PredicatePrinter.shape) }
}

extension OperationEvent: CustomStringConvertible {
  /// One line, such as `fetch Book where year > 1965: 3 rows in 0.412 ms`.
  public var description: String {
    var text = name
    if let entity { text += " " + entity }
    if let predicate { text += " where " + predicate }
    if let rows { text += ": \(rows) \(rows == 1 ? "row" : "rows")" }
    if error != nil { text += ": failed" }
    text += " in \(duration.millisecondText)"
    return error.map { "\(text): \($0)" } ?? text
  }
}

extension Duration {
  /// The duration in milliseconds with microseconds behind the point, such as `0.412 ms`.
  fileprivate var millisecondText: String {
    let microseconds = Int(self / .microseconds(1))
    let rest = String(microseconds % 1000)
    return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest + " ms"
  }
}

extension OperationEvent.Subject {
  /// Whether its result may tell how many rows it is about.
  fileprivate var isAboutRows: Bool {
    switch self {
    case .operation(.save): true
    case .operation(let operation): operation.entity != nil
    case .name: false
    }
  }
}

extension JSONNode {
  /// Returns how many rows a result has or tells of; `nil` if it doesn't.
  fileprivate func rowCount() throws(DepotError) -> Int? {
    var reader = try JSONObjectReader(self)
    if let rows = reader.optional("rows"), rows.kind == .array { return rows.count }
    var sum: Int?
    for name in ["rows", "count", "inserted", "updated", "deleted"] as [StaticString] {
      guard let count = try reader.optionalInt(name) else { continue }
      let (next, isTooLarge) = (sum ?? 0).addingReportingOverflow(count)
      if isTooLarge { return nil }
      sum = next
    }
    return sum
  }
}
