internal import DepotProtocol

/// How the records of a file are told apart.
struct InputForm {
  /// The format; guessed if `nil`.
  var format: ImportFormat?
  /// The separator of the fields of CSV; a comma if `nil`.
  var separator: UInt8?
  /// Where in a document of JSON the records are, as the parts of a JSON pointer.
  var path: [String]?
}

extension InputForm {
  private static let format = OptionSpec(
    "--format FORMAT: json, ndjson, csv, or tsv (default: by the file's name and first bytes)",
    candidates: .words(ImportFormat.allCases.map(\.rawValue))
  )
  private static let separator = OptionSpec(
    "--separator CHARACTER: what stands between the fields of csv, such as ';', '|', or tab "
      + "(default: ,)"
  )
  private static let path: OptionSpec =
    "--path POINTER: where the records are in a document of JSON, as in /result/items"

  /// The options that say what form a file has.
  static let options = [format, separator, path]

  /// Reads the options.
  ///
  /// - Throws: ``DepotError`` `request.usage` if they mean nothing or contradict each other.
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
  }

  private static func byte(_ text: String) throws(DepotError) -> UInt8 {
    if ["tab", "\\t"].contains(text) { return 0x09 }
    guard let byte = text.utf8.first, text.utf8.count == 1, !"\"\r\n".utf8.contains(byte) else {
      throw DepotError(.usage, "--separator takes one character of ASCII, or the word tab.")
        .hint("It was \"\(text)\".")
    }
    return byte
  }

  /// Reads a JSON pointer; the slash that it begins with may be left out.
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
