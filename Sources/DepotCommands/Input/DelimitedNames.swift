internal import DepotProtocol

/// The names of the columns of a CSV file.
struct DelimitedNames {
  enum Source {
    case header
    /// `--columns`.
    case option
    /// The order of the attributes.
    case schema
  }

  /// The names; an empty name in `--columns` omits the column.
  let texts: [String]
  let source: Source
  private let entity: String

  /// The advice if the number of fields differs from the number of attributes.
  static let advice = "Name the columns in their order, as in --columns id,name,,price"

  /// Takes the names of the first row, or of `--columns`.
  ///
  /// - Throws: ``DepotError`` `request.type` if there aren't as many names as the header has.
  init(_ header: DelimitedRecord, _ form: InputForm) throws(DepotError) {
    try header.check()
    entity = ""
    source = form.columns == nil ? .header : .option
    texts = form.columns ?? header.texts
    if source == .option { try header.check(fieldsOf: self) }
  }

  /// Takes the names of `--columns`, or else those of the attributes of an entity.
  init(_ form: InputForm, of entity: Entity, _ schema: Schema) {
    self.entity = entity.name
    source = form.columns == nil ? .schema : .option
    texts =
      form.columns
      ?? schema.fields(of: entity).filter {
        !$0.isPresence && $0.relationship == nil && $0.attribute.derivation == nil
      }.map(\.path)
  }

  /// Makes up names for the columns of the first row, unless `--columns` gives them.
  init(numbering row: DelimitedRecord, _ form: InputForm) {
    entity = ""
    source = form.columns == nil ? .header : .option
    texts = form.columns ?? row.places.indices.map { "column_\($0 + 1)" }
  }

  /// A sentence with the number of columns.
  var countSentence: String {
    switch source {
    case .header: "the header has \(texts.count)"
    case .option: "--columns names \(texts.count)"
    case .schema: "\(entity) has \(Numbers.counted(texts.count, "attribute"))"
    }
  }

  /// Returns the path of each column by a map; `nil` for omitted columns.
  func paths(_ map: RecordMap) -> [String?] {
    texts.map { $0.isEmpty && source == .option ? nil : map.path($0) }
  }
}
