internal import DepotLinux

/// The lines of `DEPOT_LOG=1` on the standard error, one for each operation of every connection.
enum OperationLog {
  /// Whether the environment asks for it.
  static let isWanted = Process.isSet("DEPOT_LOG")

  /// Writes a line.
  static func write(_ event: OperationEvent) {
    let line = event.description.split(whereSeparator: \.isNewline).joined(separator: " ")
    Terminal.writeError("depot: \(line)\n")
  }
}
