/// The errors that a context meets where nothing can be thrown, until a later call throws them.
final class PostponedErrors {
  /// The errors of reads, for the next save or fetch to throw.
  private var reads: [SwiftDataError] = []
  /// The changes that the program asked for and that can't be made, for the next save to throw.
  private var changes: [SwiftDataError] = []
  /// The stored values that aren't of their properties' types, while the program asks for one; else `nil`.
  private var values: [PersistentIdentifier: [Int: SwiftDataError]]?

  /// The number of reads that have failed.
  var failedReads: Int { reads.count }

  /// Forgets all errors.
  func removeAll() { (reads, changes) = ([], []) }

  // MARK: - Reads

  /// Runs a function where nothing can be thrown; the next save or fetch throws its error.
  func noting<Result>(_ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      reads.append(SwiftDataError(any: error))
      return nil
    }
  }

  /// Throws the error of an earlier read that couldn't throw.
  func throwOfRead() throws { try Self.throwFirst(of: &reads) }

  /// Runs a function apart from the program's postponed errors.
  ///
  /// Errors of reading meanwhile are thrown here; earlier errors are still thrown to the program
  /// later.
  ///
  /// - Throws: Any error of `body`, or of reading meanwhile.
  func apart<Result>(_ body: () throws -> Result) throws -> Result {
    let own = reads
    reads = []
    defer { reads = own }
    let result = try body()
    try throwOfRead()
    return result
  }

  // MARK: - Values

  /// Reads a value that may be missing.
  ///
  /// If the program asks for it, and the stored value doesn't have the property's type, the next save or
  /// fetch throws.
  func reading(_ slot: Int, of storage: ModelStorage, isAsked: Bool, _ body: () -> Void) {
    let outer = values
    values = isAsked ? [:] : nil
    defer { values = outer }
    body()
    if let error = values?[storage.identifier]?[slot], storage.isUnloaded(slot) {
      reads.append(error)
    }
  }

  /// Records that the store has a value that doesn't fit the property's type.
  func refuse(_ slot: Int, of storage: ModelStorage, _ error: any Error) {
    guard values != nil else { return }
    let (entity, property) = (storage.description.name, storage.description.properties[slot].name)
    let cause = SwiftDataError(any: error)
    var refusal = SwiftDataError(
      .storeFailure,
      "\(property) of the \(entity) \(storage.identifier) can't be read: \(cause.message)",
      hint: cause.hint,
      entity: entity,
      property: property
    )
    refusal.code = cause.code
    values?[storage.identifier, default: [:]][slot] = refusal
  }

  // MARK: - Changes

  /// Makes the next save throw that a change can't be made.
  func refuse(_ change: SwiftDataError) { changes.append(change) }

  /// Throws why a change couldn't be made that the program asked for.
  func throwOfChange() throws { try Self.throwFirst(of: &changes) }

  private static func throwFirst(of errors: inout [SwiftDataError]) throws {
    guard let first = errors.first else { return }
    errors = []
    throw first
  }
}
