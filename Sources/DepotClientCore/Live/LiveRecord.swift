public import Observation
internal import Synchronization

/// A record of a ``LiveResults`` that stays the same object while its row changes.
///
/// Read the record's properties directly on it. An observer is notified when a property that it
/// read changes, and not when others do:
///
/// ```swift
/// withObservationTracking {
///   print(results.rows[0].name)
/// } onChange: {
///   // The name is another, or another row is the first.
/// }
/// ```
///
/// A property that the record computes from others counts as changed when any of them did, and so does
/// ``record``.
@dynamicMemberLookup
public final class LiveRecord<Model: Record>: Observable, Sendable {
  private struct State {
    var row: LiveRow<Model>
    var isInResult: Bool
  }

  /// The identifier of the row.
  public let id: Identifier<Model>
  private let places: LivePropertyKeyPaths<Model>
  private let state: Mutex<State>
  private let registrar = ObservationRegistrar()

  init(_ row: LiveRow<Model>, _ places: LivePropertyKeyPaths<Model>, isInResult: Bool = true) {
    id = row.id
    self.places = places
    state = Mutex(State(row: row, isInResult: isInResult))
  }

  /// The record as it is now.
  public var record: Model {
    registrar.access(self, keyPath: places.whole)
    return state.withLock { $0.row.content }
  }

  /// The row's version in the last change that was received.
  ///
  /// It may have grown since, by changes of properties that the record lacks.
  public var version: Int64 {
    registrar.access(self, keyPath: places.version)
    return state.withLock { $0.row.version }
  }

  /// Whether the row is in the result still.
  ///
  /// One that isn't has the values that it had last.
  public var isInResult: Bool {
    registrar.access(self, keyPath: places.membership)
    return state.withLock { $0.isInResult }
  }

  /// Returns a property of the record as it is now.
  public subscript<Value>(dynamicMember keyPath: KeyPath<Model, Value>) -> Value {
    registrar.access(self, keyPath: places[keyPath])
    let record = state.withLock { $0.row.content }
    return record[keyPath: keyPath]
  }

  /// The key path of a number in ``LivePropertyKeyPaths``, for observers; it has no value.
  subscript(place _: Int) -> Void { () }
}

extension LiveRecord {
  /// Takes the change of the row.
  ///
  /// - Parameters:
  ///   - row: The row as it is now; `nil` if it left the result.
  ///   - properties: The names of the changed properties; `nil` if they are unknown.
  /// - Returns: A function that notifies the observers, if there is anything to report.
  func update(_ row: LiveRow<Model>?, properties: [String]?) -> (@Sendable () -> Void)? {
    let (before, wasInResult) = state.withLock { state in
      defer {
        state.row = row ?? state.row
        state.isInResult = row != nil
      }
      return (state.row, state.isInResult)
    }
    var changed: [LivePropertyKeyPaths<Model>.PropertyKeyPath] = []
    if wasInResult != (row != nil) { changed.append(places.membership) }
    if let row {
      if before.version != row.version { changed.append(places.version) }
      changed += places.changed(from: before.content, to: row.content, properties)
    }
    guard !changed.isEmpty else { return nil }
    return { [self, changed] in
      for place in changed {
        registrar.willSet(self, keyPath: place)
        registrar.didSet(self, keyPath: place)
      }
    }
  }
}

extension LiveRecord: Identifiable {}

/// The key paths by which observers of records register their reads, one for each property.
struct LivePropertyKeyPaths<Model: Record>: Sendable {
  typealias PropertyKeyPath = any KeyPath<LiveRecord<Model>, Void> & Sendable

  private let properties: [PropertyKeyPath]
  private let numbers: [String: Int]
  /// The record as a whole.
  let whole: PropertyKeyPath = \.[place: -1]
  let version: PropertyKeyPath = \.[place: -2]
  let membership: PropertyKeyPath = \.[place: -3]

  init() {
    let attributes = Model.attributes.all
    properties = attributes.indices.map { number in \.[place: number] }
    numbers = Dictionary(
      attributes.enumerated().map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The key path of a property, or of the whole record if the property has no name.
  subscript(keyPath: AnyKeyPath) -> PropertyKeyPath {
    guard let attribute = Model.attributes[keyPath] else { return whole }
    if case .version = attribute.content { return version }
    return numbers[attribute.name].map { properties[$0] } ?? whole
  }

  /// Returns the key paths of the properties that differ between two states of a record.
  func changed(from old: Model, to new: Model, _ names: [String]?) -> [PropertyKeyPath] {
    let numbers = names.flatMap(self.numbers(of:)) ?? differences(old, new)
    return numbers.isEmpty ? [] : numbers.sorted().map { properties[$0] } + [whole]
  }

  /// Returns the numbers of properties by their names; `nil` if one of them isn't known.
  private func numbers(of names: [String]) -> Set<Int>? {
    var result: Set<Int> = []
    for name in names {
      guard let number = numbers[String(name.prefix { $0 != "." })] else { return nil }
      result.insert(number)
    }
    return result
  }

  /// Returns the numbers of the properties that are written differently.
  private func differences(_ old: Model, _ new: Model) -> Set<Int> {
    // A value that can't be encoded can't be compared.
    guard let before = try? old.texts(), let after = try? new.texts() else {
      return Set(Model.attributes.all.indices)
    }
    var result: Set<Int> = []
    var column = 0
    for (number, attribute) in Model.attributes.all.enumerated() {
      let end = column + attribute.content.columns(attribute.name).count
      guard end <= before.count, end <= after.count else {
        result.insert(number)
        continue
      }
      if before[column..<end] != after[column..<end] { result.insert(number) }
      column = end
    }
    return result
  }
}
