internal import DepotProtocol

/// Schemas in files.
enum SchemaFile {
  /// Reads the schema in a file; `-` is standard input.
  ///
  /// - Throws: ``DepotError`` with the place in the file if it isn't a schema.
  static func read(_ path: String) throws(DepotError) -> Schema {
    let text = try InputFile(path).readAll(limit: Limits.frameBytes)
    do throws(DepotError) {
      return try Schema(parsing: text)
    } catch {
      throw located(error, in: path)
    }
  }

  /// Returns an error about a text with the name of its file.
  static func located(_ error: DepotError, in path: String) -> DepotError {
    var located = error
    located.at = path + (error.at.map { ": \($0)" } ?? "")
    located.message = error.message.replacing("The frame", with: "The file")
    return located
  }
}
