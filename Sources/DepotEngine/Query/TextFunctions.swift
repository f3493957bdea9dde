internal import DepotProtocol
package import DepotSQLite

/// The SQL functions that predicates call.
package enum TextFunctions {
  /// Adds all of them to a connection.
  ///
  /// - Throws: ``SQLiteError`` if SQLite refuses one.
  package static func register(on connection: Connection) throws(SQLiteError) {
    try connection.addFunction("depot_fold", argumentCount: 2) { call in
      guard call.kind(0) == .text else { return }
      TextFolding.with(call.bytes(0), call.options(1)) { call.result(text: $0) }
    }
    try test("contains", on: connection, isContained)
    try test("begins", on: connection) { text, needle, options in
      TextFolding.with(text, options) { text in
        text.count >= needle.count && isEqual(text.prefix(needle.count), needle)
      }
    }
    try test("ends", on: connection) { text, needle, options in
      TextFolding.with(text, options) { text in
        text.count >= needle.count && isEqual(text.suffix(needle.count), needle)
      }
    }
    try test("like", on: connection) { text, pattern, options in
      TextFolding.with(text, options) { WildcardPattern.matches($0, pattern) }
    }
    let patterns = PatternCache()
    try test("matches", on: connection) { text, pattern, options in
      patterns.pattern(pattern, options)?.matches(text) ?? false
    }
    try NumberFunctions.register(on: connection)
  }

  /// Adds a function of text, folded pattern, and options that is NULL if either text is.
  private static func test(
    _ name: String,
    on connection: Connection,
    _ body:
      @escaping (
        UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>, QueryExpression.TextOptions
      ) -> Bool
  ) throws(SQLiteError) {
    try connection.addFunction("depot_\(name)", argumentCount: 3) { call in
      guard call.kind(0) == .text, call.kind(1) == .text else { return }
      call.result(body(call.bytes(0), call.bytes(1), call.options(2)))
    }
  }

  private static func isContained(
    _ text: UnsafeBufferPointer<UInt8>,
    _ needle: UnsafeBufferPointer<UInt8>,
    _ options: QueryExpression.TextOptions
  ) -> Bool {
    if options.isEmpty || ASCIIText.isASCII(text) {
      let ignoresCase = options.contains(.caseInsensitive)
      return ASCIIText.contains(text, needle, ignoresCase: ignoresCase)
    }
    return TextFolding.with(text, options) {
      ASCIIText.contains($0, needle, ignoresCase: false)
    }
  }

  private static func isEqual(
    _ left: Slice<UnsafeBufferPointer<UInt8>>,
    _ right: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard let base = UnsafeBufferPointer(rebasing: left).baseAddress else { return right.isEmpty }
    return ASCIIText.matches(base, right, ignoresCase: false)
  }
}

extension FunctionCall {
  func options(_ index: Int) -> QueryExpression.TextOptions {
    QueryExpression.TextOptions(rawValue: Int(integer(index)))
  }
}

/// The regular expression that was used last, since a statement uses one for all of its rows.
private final class PatternCache {
  private var source: [UInt8] = []
  private var options: QueryExpression.TextOptions = []
  private var compiled: TextPattern?
  private var isFilled = false

  func pattern(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ options: QueryExpression.TextOptions
  ) -> TextPattern? {
    if isFilled, self.options == options, source.elementsEqual(bytes) { return compiled }
    source = Array(bytes)
    self.options = options
    isFilled = true
    compiled =
      bytes.count > 1000 ? nil : try? TextPattern(String(decoding: bytes, as: UTF8.self), options)
    return compiled
  }
}
