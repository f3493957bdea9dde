internal import CDepotSQLite

/// Table-valued functions, written in Swift.
extension Connection {
  /// Adds an SQL function that returns a table with the columns `value` and `position`.
  ///
  /// The corresponding C function is `sqlite3_create_module_v2`.
  ///
  /// - Parameters:
  ///   - name: The name in SQL.
  ///   - argumentCount: The number of its arguments; each is required.
  ///   - body: Returns the values of a call.
  /// - Throws: ``SQLiteError`` if SQLite refuses the function.
  package func addTableFunction(
    _ name: String,
    argumentCount: Int,
    _ body: @escaping (borrowing FunctionCall) -> [SQLiteValue]
  ) throws(SQLiteError) {
    let module = TableModule.shared.pointer
    let user = Unmanaged.passRetained(TableBody(argumentCount, body)).toOpaque()
    let code = sqlite3_create_module_v2(handle, name, module, user, releaseContext)
    guard code == SQLITE_OK else { throw SQLiteError(database: handle) }
  }
}

/// The object that SQLite keeps for a table function.
private final class TableBody {
  let argumentCount: Int
  let values: (borrowing FunctionCall) -> [SQLiteValue]

  init(_ argumentCount: Int, _ values: @escaping (borrowing FunctionCall) -> [SQLiteValue]) {
    self.argumentCount = argumentCount
    self.values = values
  }
}

/// The values of one call, and the position of the cursor.
private final class TableRun {
  var values: [SQLiteValue] = []
  var index = 0
}

/// SQLite's struct for a table or cursor, followed by a reference to a Swift object.
///
/// SQLite uses only the first member, so the layout must be exactly this.
struct Extended<Base> {
  private static var offset: Int { MemoryLayout<Base>.stride }

  static func allocate(_ reference: AnyObject) -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: offset + MemoryLayout<UnsafeMutableRawPointer>.size,
      alignment: 16
    )
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: offset)
    memory.storeBytes(
      of: Unmanaged.passRetained(reference).toOpaque(),
      toByteOffset: offset,
      as: UnsafeMutableRawPointer.self
    )
    return memory
  }

  static func reference<Object: AnyObject>(
    of memory: UnsafeMutableRawPointer,
    as _: Object.Type
  ) -> Unmanaged<Object> {
    Unmanaged.fromOpaque(memory.load(fromByteOffset: offset, as: UnsafeMutableRawPointer.self))
  }
}

/// The callbacks of all table functions.
private enum TableModule {
  static let shared = FunctionTable(functions)

  private static var functions: sqlite3_module {
    var module = sqlite3_module()
    module.xConnect = { database, user, _, _, table, _ in
      guard let database, let user, let table else { return SQLITE_ERROR }
      let body = Unmanaged<TableBody>.fromOpaque(user).takeUnretainedValue()
      let hidden = (0..<body.argumentCount).map { ", a\($0) HIDDEN" }.joined()
      let code = sqlite3_declare_vtab(database, "CREATE TABLE x(value, position\(hidden))")
      guard code == SQLITE_OK else { return code }
      table.pointee = Extended<sqlite3_vtab>.allocate(body)
        .assumingMemoryBound(to: sqlite3_vtab.self)
      return SQLITE_OK
    }
    module.xDisconnect = { table in
      guard let table = UnsafeMutableRawPointer(table) else { return SQLITE_OK }
      Extended<sqlite3_vtab>.reference(of: table, as: TableBody.self).release()
      table.deallocate()
      return SQLITE_OK
    }
    module.xBestIndex = { table, plan in
      guard let table = UnsafeMutableRawPointer(table), let plan else { return SQLITE_ERROR }
      let body = Extended<sqlite3_vtab>.reference(of: table, as: TableBody.self)
      return TableModule.plan(plan, body.takeUnretainedValue().argumentCount)
    }
    module.xOpen = { _, cursor in
      guard let cursor else { return SQLITE_ERROR }
      cursor.pointee = Extended<sqlite3_vtab_cursor>.allocate(TableRun())
        .assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    module.xClose = { cursor in
      guard let cursor = UnsafeMutableRawPointer(cursor) else { return SQLITE_OK }
      Extended<sqlite3_vtab_cursor>.reference(of: cursor, as: TableRun.self).release()
      cursor.deallocate()
      return SQLITE_OK
    }
    module.xFilter = { cursor, _, _, _, arguments in
      guard let cursor, let table = UnsafeMutableRawPointer(cursor.pointee.pVtab),
        let arguments
      else { return SQLITE_ERROR }
      let body = Extended<sqlite3_vtab>.reference(of: table, as: TableBody.self)
      let run = TableModule.run(cursor)
      run.index = 0
      run.values = body.takeUnretainedValue().values(FunctionCall(arguments: arguments))
      return SQLITE_OK
    }
    module.xNext = { cursor in
      guard let cursor else { return SQLITE_ERROR }
      TableModule.run(cursor).index += 1
      return SQLITE_OK
    }
    module.xEof = { cursor in
      guard let cursor else { return 1 }
      let run = TableModule.run(cursor)
      return run.index < run.values.count ? 0 : 1
    }
    module.xColumn = { cursor, context, column in
      guard let cursor, let context else { return SQLITE_ERROR }
      let run = TableModule.run(cursor)
      switch column {
      case 0: FunctionCall(context: context, arguments: nil).result(run.values[run.index])
      case 1: sqlite3_result_int64(context, Int64(run.index))
      default: break
      }
      return SQLITE_OK
    }
    module.xRowid = { cursor, identifier in
      guard let cursor, let identifier else { return SQLITE_ERROR }
      identifier.pointee = Int64(TableModule.run(cursor).index)
      return SQLITE_OK
    }
    return module
  }

  private static func run(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>) -> TableRun {
    Extended<sqlite3_vtab_cursor>
      .reference(of: UnsafeMutableRawPointer(cursor), as: TableRun.self).takeUnretainedValue()
  }

  /// Tells SQLite's planner that the function needs all of its arguments, in their order.
  private static func plan(
    _ plan: UnsafeMutablePointer<sqlite3_index_info>,
    _ argumentCount: Int
  ) -> Int32 {
    var found = 0
    for index in 0..<Int(plan.pointee.nConstraint) {
      let constraint = plan.pointee.aConstraint[index]
      let argument = Int(constraint.iColumn) - 2
      guard argument >= 0, constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ) else { continue }
      // An argument isn't available yet, so SQLite must try another order of the tables.
      guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
      plan.pointee.aConstraintUsage[index].argvIndex = Int32(argument + 1)
      plan.pointee.aConstraintUsage[index].omit = 1
      found += 1
    }
    guard found == argumentCount else { return SQLITE_CONSTRAINT }
    plan.pointee.estimatedCost = 10
    plan.pointee.estimatedRows = 10
    return SQLITE_OK
  }
}
