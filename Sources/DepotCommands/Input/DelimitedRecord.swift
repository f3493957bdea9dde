internal import DepotProtocol

/// A field of a row of CSV, valid during the call that gets it.
struct DelimitedField {
  let bytes: UnsafeBufferPointer<UInt8>
  /// Whether it is quoted, or has escapes, so that it can't be the text for null.
  var isQuoted = false
}

/// One row of a CSV file.
struct DelimitedRecord {
  /// The range of a field in ``bytes``.
  struct FieldRange {
    var range: Range<Int>
    var isQuoted = false
  }

  /// The memory with the row's text and its fields, which other rows may share.
  var bytes: [UInt8] = []
  /// The place of the row's text in ``bytes``, without the line end.
  var textPlace = 0..<0
  var places: [FieldRange] = []
  /// The number of the first line, counted from 1.
  var line = 1
  /// The reason why the text isn't a row.
  var fault: DepotError? {
    get { if case .fault(let error) = content { error } else { nil } }
    set { content = newValue.map(Content.fault) ?? .row }
  }
  private var content = Content.row

  /// A small value, because all records are copied and few have a fault.
  private indirect enum Content {
    case row
    case fault(DepotError)
  }

  /// The row's text in the file, without the line end.
  var text: ArraySlice<UInt8> { bytes[textPlace] }

  /// The number of fields.
  var count: Int { places.count }

  /// Calls `body` with the position of each field and the field.
  func forEachField(
    _ body: (Int, DelimitedField) throws(DepotError) -> Void
  ) throws(DepotError) {
    try bytes.withUnsafeBufferPointer { bytes throws(DepotError) in
      for index in places.indices { try body(index, Self.field(places[index], in: bytes)) }
    }
  }

  /// Returns the result of `body` for a field.
  func withField<Result>(
    _ index: Int,
    _ body: (DelimitedField) throws(DepotError) -> Result
  ) throws(DepotError) -> Result {
    try bytes.withUnsafeBufferPointer { bytes throws(DepotError) in
      try body(Self.field(places[index], in: bytes))
    }
  }

  @inline(__always)
  private static func field(
    _ place: FieldRange,
    in bytes: UnsafeBufferPointer<UInt8>
  ) -> DelimitedField {
    DelimitedField(
      bytes: UnsafeBufferPointer(rebasing: bytes[place.range]),
      isQuoted: place.isQuoted
    )
  }

  /// The fields as texts.
  var texts: [String] { places.map { String(decoding: bytes[$0.range], as: UTF8.self) } }

  /// - Throws: The ``fault``, if there is one.
  func check() throws(DepotError) {
    if let fault { throw fault }
  }

  /// - Throws: The ``fault``, or ``DepotError`` `request.type` if the numbers of fields and `names`
  ///   differ.
  func check(fieldsOf names: DelimitedNames) throws(DepotError) {
    try check()
    guard count != names.texts.count else { return }
    throw DepotError(
      .type,
      "The row has \(Numbers.counted(count, "field")); \(names.countSentence)."
    ).hint(names.source == .schema ? DelimitedNames.advice : nil)
  }

  /// Whether this is an empty line.
  var isBlank: Bool {
    fault == nil && count == 1 && places[0].range.isEmpty && !places[0].isQuoted
  }
}
