internal import DepotLinux
internal import DepotProtocol

/// A buffer of bytes on their way to a file, a pipe, or a terminal.
final class ByteSink {
  /// The unwritten text; append to it and call ``flushIfLarge()``.
  var writer: JSONWriter
  /// Whether it couldn't be written.
  private(set) var hasFailed = false
  private let limit: Int
  private let write: ([UInt8]) throws(SystemError) -> Void

  init(limit: Int = 1 << 16, write: @escaping ([UInt8]) throws(SystemError) -> Void) {
    self.limit = limit
    self.write = write
    writer = JSONWriter(capacity: limit * 2)
  }

  /// The bytes of the unwritten text.
  @inline(__always)
  var bytes: [UInt8] {
    get { writer.bytes }
    _modify { yield &writer.bytes }
  }

  /// Creates a sink that writes to an open descriptor.
  convenience init(_ descriptor: Descriptor) {
    self.init { bytes throws(SystemError) in try descriptor.write(bytes) }
  }

  convenience init(creating path: String) throws(DepotError) {
    self.init(
      try attempt("The file \(path) can't be created") { () throws(SystemError) in
        try Descriptor.create(path: path)
      }
    )
  }

  /// Appends text.
  func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes the buffer if it has grown large.
  ///
  /// - Throws: An error of ``flush()``.
  @inline(__always)
  func flushIfLarge() throws {
    if bytes.count >= limit { try flush() }
  }

  /// Writes the buffer.
  ///
  /// - Throws: ``OutputClosed`` if nobody reads the pipe, ``DepotError`` `storage.io` if it can't be
  ///   written.
  func flush() throws {
    guard !bytes.isEmpty else { return }
    defer { bytes.removeAll(keepingCapacity: true) }
    do throws(SystemError) {
      try write(bytes)
    } catch {
      throw failure(error)
    }
  }

  /// Notes that the output can't be written, and returns the error for that.
  func failure(_ error: SystemError) -> any Error {
    hasFailed = true
    return error.isBrokenPipe
      ? OutputClosed() : DepotError(.init(of: error), "The output can't be written (\(error)).")
  }
}

extension JSONWriter {
  mutating func member(_ name: String, _ value: JSONValue) {
    self.name(name)
    write(value)
  }

  mutating func member(_ name: String, json value: some Collection<UInt8>) {
    self.name(name)
    raw(value)
  }

  /// Begins the JSON object of a row with its identity.
  mutating func beginRow(_ entity: String, _ identifier: Int64, version: Int64? = nil) {
    raw("{")
    member("$id", .string("\(entity)/\(identifier)"))
    if let version { member("$version", .int64(version)) }
  }
}

/// The end of the program because the reader of its output has closed it, such as `head`.
struct OutputClosed: Error {}

/// Runs `body`, and turns a system error into one that says which task failed.
func attempt<Result>(
  _ failure: String,
  _ code: DepotError.Code? = nil,
  _ body: () throws(SystemError) -> Result
) throws(DepotError) -> Result {
  do throws(SystemError) {
    return try body()
  } catch {
    throw DepotError(code ?? .init(of: error), "\(failure) (\(error)).")
  }
}

extension DepotError.Code {
  /// Creates the code for a failed system call on a file named by the user.
  init(of error: SystemError) {
    self =
      if error.isMissingFile {
        .fileNotFound
      } else if error.isPermission {
        .filePermission
      } else {
        error.isWantOfRoom ? .full : .io
      }
  }
}
