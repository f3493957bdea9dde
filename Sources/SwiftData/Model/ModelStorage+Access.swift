extension ModelStorage {
  /// Does something with a property while no other thread may use the object's context.
  ///
  /// Debug builds also end the program where another actor uses the object, even at another time.
  @inline(__always)
  final func using<Result>(_ slot: Int, _ body: () -> Result) -> Result {
    guard let table, table.context != nil else { return body() }
    return using(slot, table, body)
  }

  /// Does something with an attribute while no other thread may use the object's context; without a
  /// context, while no other thread uses an attribute of the object.
  @inline(__always)
  final func usingAttribute<Result>(_ slot: Int, _ body: () -> Result) -> Result {
    guard let table, table.context != nil else { return lock(body) }
    return using(slot, table, body)
  }

  @inline(__always)
  private final func using<Result>(
    _ slot: Int,
    _ table: IdentityTable,
    _ body: () -> Result
  ) -> Result {
    #if DEBUG
    table.context?.checkActor { name(of: slot) }
    #endif
    let isFirst = table.accessGuard.begin { name(of: slot) }
    defer { if isFirst { table.accessGuard.end() } }
    if isFirst, table.accessGuard.hasPendingEvents { table.context?.mergePendingEvents() }
    return body()
  }

  private final func name(of slot: Int) -> String {
    "\(description.properties[slot].qualifiedName) of \(identifier)"
  }
}
