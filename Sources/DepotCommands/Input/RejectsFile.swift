internal import DepotLinux
internal import DepotProtocol

/// A file of NDJSON for the records that couldn't be imported.
final class RejectsFile {
  private let sink: ByteSink

  /// Creates a file of rejects on the standard output.
  init(_ output: ByteSink) { sink = output }

  /// Creates the file, or appends to the old one.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - source: The path of the imported file, `-` for the standard input.
  ///   - keepsOld: Whether to append to the old one.
  /// - Throws: ``DepotError`` `storage.io` if it can't be created, `request.usage` if it is the
  ///   imported file.
  init(path: String, source: String, keepsOld: Bool = false) throws(DepotError) {
    let input = source == "-" ? "/proc/self/fd/0" : source
    if let input = FileSystem.destination(of: input),
      let output = FileSystem.destination(of: path), FileSystem.isSameFile(input, output)
    {
      throw DepotError(.usage, "\(path) is the file to import.")
        .hint("Name another file for --rejects: it begins empty.")
    }
    sink = try attempt("The file \(path) can't be created") { () throws(SystemError) in
      ByteSink(try keepsOld ? Descriptor.open(appending: path) : Descriptor.create(path: path))
    }
  }

  /// Writes a record with the reason for its rejection.
  func append(line: Int, error: DepotError, input: some Collection<UInt8>) throws {
    sink.writer.raw("{")
    sink.writer.member("line", .int64(Int64(line)))
    sink.writer.name("error")
    sink.writer.write(error)
    sink.writer.member("input", .string(String(decoding: input, as: UTF8.self)))
    sink.writer.raw("}\n")
    try sink.flushIfLarge()
  }

  /// Writes the buffered bytes.
  func finish() throws { try sink.flush() }
}
