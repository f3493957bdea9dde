internal import CDepotLinux

extension Process {
  /// The name of this program and its arguments.
  ///
  /// `CommandLine.arguments` is empty in programs with the runtime inside if a library that was loaded
  /// before has called `setenv`.
  package static let arguments: [String] = {
    let start = depot_noted_start()
    return (0..<Int(start.count)).compactMap { start.arguments[$0].map { String(cString: $0) } }
  }()
}
