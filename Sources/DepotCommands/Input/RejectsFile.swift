internal import DepotLinux
internal import DepotProtocol

/// The file that gets the records that couldn't be imported, as NDJSON.
final class RejectsFile {
  private let sink: ByteSink
  /// How many records were written.
  private(set) var count = 0

  /// Creates the file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - keepsOld: Whether what is in it already stays.
  /// - Throws: ``DepotError`` `storage.io` if it can't be created.
  init(path: String, keepsOld: Bool = false) throws(DepotError) {
    do throws(SystemError) {
      sink = ByteSink(
        keepsOld
          ? try Descriptor.open(appending: path) : try Descriptor.create(path: path)
      )
    } catch {
      throw DepotError(.io, "The file \(path) can't be created (\(error)).")
    }
  }

  /// Writes a record with the reason for its rejection.
  func append(line: Int, error: DepotError, input: some Collection<UInt8>) throws {
    count += 1
    var writer = JSONWriter(capacity: 0)
    swap(&writer.bytes, &sink.bytes)
    writer.raw("{\"line\":")
    writer.integer(line)
    writer.raw(",\"error\":")
    writer.write(error)
    writer.raw(",\"input\":")
    writer.string(String(decoding: input, as: UTF8.self))
    writer.raw("}\n")
    swap(&writer.bytes, &sink.bytes)
    try sink.flushIfLarge()
  }

  /// Writes what is still in memory.
  func finish() throws { try sink.flush() }
}
