internal import DepotLinux

/// The output to a reader who may be slow, such as a person with a pager.
///
/// The service doesn't wait forever for its rows to be read. Output that the reader doesn't accept
/// in time waits in an unnamed file, up to the limit; beyond the limit the program waits for the
/// reader.
final class OutputSpool {
  /// The most buffered bytes.
  static let limit = 4 << 30
  /// The number of bytes that a writable pipe accepts without blocking.
  private static let pipeBytes = 4096

  private let limit: Int
  /// The time to wait for the reader before output is buffered, in milliseconds.
  private let patience: Int
  private let folder: String
  private var isOn = false
  private var file: StoredFile?
  /// The range of the file that is still unread.
  private var start = 0
  private var end = 0

  init(
    limit: Int = OutputSpool.limit,
    patience: Int = 3000,
    folder: String = Process.environment("TMPDIR") ?? "/tmp"
  ) {
    self.limit = limit
    self.patience = patience
    self.folder = folder
  }

  /// The number of buffered bytes.
  var count: Int { end - start }

  /// Buffers all later output that isn't read in time.
  func begin() { isOn = true }

  /// Appends bytes to the buffered ones.
  ///
  /// - Throws: ``SystemError``; EPIPE if the reader has closed the pipe.
  func write(_ bytes: [UInt8], to output: Descriptor) throws(SystemError) {
    guard isOn, output.regularFileSize == nil else { return try output.write(bytes) }
    if count > 0 { try drain(to: output) { Poll.canWrite(output, milliseconds: 0) } }
    var rest = bytes[...]
    while count == 0, !rest.isEmpty, Poll.canWrite(output, milliseconds: patience) {
      try output.write(Array(rest.prefix(Self.pipeBytes)))
      rest = rest.dropFirst(Self.pipeBytes)
    }
    guard !rest.isEmpty, !putAside(Array(rest)) else { return }
    try finish(to: output)
    try output.write(Array(rest))
  }

  /// Waits until the reader has received all buffered bytes.
  ///
  /// - Throws: ``SystemError``; EPIPE if the reader has closed the pipe.
  func finish(to output: Descriptor) throws(SystemError) {
    try drain(to: output) { true }
  }

  /// Writes to the file; returns whether there was room for it.
  private func putAside(_ bytes: [UInt8]) -> Bool {
    guard count + bytes.count <= limit else { return false }
    do throws(SystemError) {
      if file == nil { file = try makeFile() }
      try file?.write(bytes, at: end)
    } catch {
      return false
    }
    end += bytes.count
    return true
  }

  private func makeFile() throws(SystemError) -> StoredFile {
    let name = String(UInt64.random(in: .min ... .max), radix: 36)
    let path = "\(folder)/depot-output-\(name)"
    try StoredFile.create(path: path)
    defer { FileSystem.remove(file: path) }
    return try StoredFile(path: path, isWritable: true)
  }

  private func drain(
    to output: Descriptor,
    while condition: () -> Bool
  ) throws(SystemError) {
    guard let file else { return }
    while count > 0, condition() {
      let bytes = try file.read(min(count, Self.pipeBytes), at: start)
      try output.write(bytes)
      start += bytes.count
    }
    guard count == 0 else { return }
    self.file = nil
    (start, end) = (0, 0)
  }
}
