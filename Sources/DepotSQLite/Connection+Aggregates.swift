internal import CDepotSQLite

/// One run of an aggregate function over the rows of a group.
package protocol AggregateRun: AnyObject {
  /// Adds one row of the group.
  func add(_ call: borrowing FunctionCall)
  /// Sets the result.
  func finish(_ call: borrowing FunctionCall)
}

extension Connection {
  /// Adds an aggregate function that SQL on this connection may call, but not from a view or trigger.
  ///
  /// The corresponding C function is `sqlite3_create_function_v2`.
  ///
  /// - Parameters:
  ///   - name: The name in SQL.
  ///   - argumentCount: How many arguments it takes.
  ///   - begin: Makes the run of a group.
  /// - Throws: ``SQLiteError`` if SQLite refuses the function.
  package func addAggregate(
    _ name: String,
    argumentCount: Int,
    _ begin: @escaping () -> any AggregateRun
  ) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle,
      name,
      Int32(argumentCount),
      SQLITE_UTF8 | SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC,
      Unmanaged.passRetained(AggregateBody(begin)).toOpaque(),
      nil,
      { context, _, arguments in
        guard let context, let run = AggregateBox.current(context, isLast: false) else { return }
        run.add(FunctionCall(context: context, arguments: arguments))
      },
      { context in
        guard let context, let run = AggregateBox.current(context, isLast: true) else { return }
        run.finish(FunctionCall(context: context, arguments: nil))
      },
      releaseContext
    )
    guard code == SQLITE_OK else { throw SQLiteError(database: handle) }
  }
}

/// The object that SQLite keeps for an aggregate function.
private final class AggregateBody {
  let begin: () -> any AggregateRun

  init(_ begin: @escaping () -> any AggregateRun) {
    self.begin = begin
  }
}

/// The object that SQLite keeps for one run of the function.
private final class AggregateBox {
  let run: any AggregateRun

  init(_ run: any AggregateRun) {
    self.run = run
  }

  /// Returns the run of a group, made if needed; `isLast` also releases SQLite's reference to it.
  static func current(_ context: OpaquePointer, isLast: Bool) -> (any AggregateRun)? {
    guard let user = sqlite3_user_data(context) else { return nil }
    let body = Unmanaged<AggregateBody>.fromOpaque(user).takeUnretainedValue()
    // For a size of zero, SQLite allocates nothing and returns null if there was no row.
    let size = isLast ? 0 : Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)
    guard let memory = sqlite3_aggregate_context(context, size) else {
      return isLast ? body.begin() : nil
    }
    let slot = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    guard let kept = slot.pointee else {
      let box = AggregateBox(body.begin())
      if !isLast { slot.pointee = Unmanaged.passRetained(box).toOpaque() }
      return box.run
    }
    let box = Unmanaged<AggregateBox>.fromOpaque(kept)
    guard isLast else { return box.takeUnretainedValue().run }
    slot.pointee = nil
    return box.takeRetainedValue().run
  }
}
