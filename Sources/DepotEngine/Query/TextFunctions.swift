internal import DepotProtocol
package import DepotSQLite

/// The SQL functions that predicates call.
package enum TextFunctions {
  /// Adds all functions to a connection.
  ///
  /// - Throws: ``SQLiteError`` if SQLite refuses one.
  package static func register(on connection: Connection) throws(SQLiteError) {
    try connection.addFunction("depot_fold", argumentCount: 2) { call in
      guard call[0].kind == .text else { return }
      TextFolding.with(call[0].bytes, call.options(1).effective) { call.result(text: $0) }
    }
    try connection.addFunction("depot_localized", argumentCount: 1) { call in
      guard call[0].kind == .text else { return }
      LocalizedKey.make(call[0].bytes).withUnsafeBufferPointer { call.result(blob: $0) }
    }
    let testing = TextTesting()
    for test in QueryExpression.TextTest.allCases {
      // The result is NULL if either text is. The connection owns the function.
      try connection.addFunction("depot_\(test.rawValue)", argumentCount: 3) {
        [unowned connection] call in
        guard call[0].kind == .text, call[1].kind == .text else { return }
        let (text, pattern, options) = (call[0].bytes, call[1].bytes, call.options(2))
        let result = testing.holds(test, text, pattern, options) { connection.mustStop }
        guard let result else { return call.interrupt() }
        call.result(result)
      }
    }
    try BlobFunctions.register(on: connection)
    try NumberFunctions.register(on: connection)
    try ValueFunctions.register(on: connection)
  }
}

extension FunctionCall {
  func options(_ index: Int) -> QueryExpression.TextOptions {
    QueryExpression.TextOptions(rawValue: Int(self[index].integer))
  }
}
