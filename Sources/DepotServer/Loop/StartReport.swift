internal import DepotLinux
internal import DepotProtocol

/// A line of JSON on the standard output that tells the starting process the result of the start.
enum StartReport {
  /// The service is ready.
  case ready(store: String)
  /// The service can't start, and ends.
  case failed(DepotError)

  /// Writes the line, and closes the standard output.
  func send() {
    var writer = JSONWriter()
    switch self {
    case .ready(let store):
      writer.raw("{\"ready\":{\"pid\":")
      writer.integer(Int(Process.identifier))
      writer.raw(",\"store\":")
      writer.string(store)
      writer.raw("}}\n")
    case .failed(let error):
      writer.raw("{\"err\":")
      writer.write(error)
      writer.raw("}\n")
    }
    Process.endStandardOutput(writer.bytes)
  }
}
