internal import DepotProtocol

/// The form of a file's records.
struct InputForm {
  /// The format; guessed if `nil`.
  var format: ImportFormat?
  /// The separator of the fields of CSV; a comma if `nil`.
  var separator: UInt8?
  /// The path of the records in a JSON document, as the parts of a JSON pointer.
  var path: [String]?
  /// Whether the first row of CSV holds the names of the columns.
  var hasHeader = true
  /// The names of the columns of CSV, instead of a header's; an empty name omits the column.
  var columns: [String]?
  /// Whether a backslash in CSV begins an escape, as in the dumps of databases.
  var hasEscapes = false
  /// The text for null in CSV.
  var nullText: String?

  /// The text for null in the dumps of databases.
  static let dumpNull = "\\N"

  /// Whether the options exist for CSV only.
  var isDelimited: Bool { !hasHeader || hasEscapes || columns != nil }
}

extension InputForm {
  private static let format = OptionSpec(
    "--format FORMAT: json, ndjson, csv, or tsv (default: by the file's name and first bytes)",
    candidates: .words(ImportFormat.allCases.map(\.rawValue))
  )
  private static let separator = OptionSpec(
    "--separator CHARACTER: the character between the fields of csv, such as ';', '|', or tab "
      + "(default: ,)"
  )
  private static let path: OptionSpec =
    "--path POINTER: where the records are in a document of JSON, as in /result/items"

  private static let noHeader = OptionSpec(
    "--no-header: the first line of csv or tsv is a row; its columns are those of --columns, or the "
      + "attributes in the order of the schema"
  )
  private static let columns = OptionSpec(
    "--columns NAMES: the names of the columns of csv or tsv in their order, as in id,name,,price, in "
      + "the place of the header's; a column without a name is left out"
  )
  private static let escapes = OptionSpec(
    "--escapes: read csv or tsv as COPY, pg_dump, and mysqldump --tab write it: \\N is null, \\t a tab, "
      + "\\n a line break, \\\\ a backslash (default format: tsv)"
  )
  private static let null = OptionSpec(
    "--null TEXT: the text for null in csv and tsv (default: an empty field that isn't quoted; "
      + "with --escapes: \\N)"
  )

  /// The options that describe the form of a file.
  static let options = [format, separator, path, noHeader, columns, escapes, null]

  /// Reads the options.
  ///
  /// - Throws: ``DepotError`` `request.usage` if they are invalid or contradict each other.
  init(_ invocation: Invocation) throws(DepotError) {
    format = try invocation.choice(Self.format, ImportFormat.self)
    separator = try invocation.value(Self.separator).map(Self.byte)
    path = try invocation.value(Self.path).map(Self.parts)
    if separator != nil {
      guard [nil, .csv].contains(format), path == nil else {
        throw DepotError(.usage, "--separator is for csv only.")
      }
      format = .csv
    }
    if path != nil {
      guard [nil, .json].contains(format) else {
        throw DepotError(.usage, "--path is for a document of JSON only.")
      }
      format = .json
    }
    hasHeader = !invocation.has(Self.noHeader)
    columns = try invocation.value(Self.columns).map(Self.names)
    hasEscapes = invocation.has(Self.escapes)
    nullText = invocation.value(Self.null) ?? (hasEscapes ? Self.dumpNull : nil)
    if isDelimited, format == .json || format == .ndjson {
      let options = [Self.noHeader, Self.columns, Self.escapes]
      let name = options.first(where: invocation.has)?.name ?? ""
      throw DepotError(.usage, "--\(name) is for csv and tsv only.")
    }
  }

  private static func names(_ text: String) throws(DepotError) -> [String] {
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmed() }
    var known: Set<String> = []
    if let twice = names.first(where: { !$0.isEmpty && !known.insert($0).inserted }) {
      throw DepotError(.usage, "--columns names \"\(twice)\" twice.")
    }
    return names
  }

  private static func byte(_ text: String) throws(DepotError) -> UInt8 {
    if ["tab", "\\t"].contains(text) { return 0x09 }
    guard let byte = text.utf8.first, text.utf8.count == 1, !"\"\r\n".utf8.contains(byte) else {
      throw DepotError(.usage, "--separator takes one character of ASCII, or the word tab.")
        .hint("It was \"\(text)\".")
    }
    return byte
  }

  /// Reads a JSON pointer; its first slash is optional.
  private static func parts(_ pointer: String) throws(DepotError) -> [String] {
    if pointer.isEmpty { return [] }
    let text = pointer.first == "/" ? pointer.dropFirst() : pointer[...]
    return text.split(separator: "/", omittingEmptySubsequences: false).map {
      String($0).replacing("~1", with: "/").replacing("~0", with: "~")
    }
  }

  /// Returns parts as a JSON pointer.
  static func pointer(_ parts: [String]) -> String {
    parts.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
  }
}
