internal import CDepotLinux

extension Process {
  /// The name of this program and its arguments.
  ///
  /// In programs with the Swift runtime linked statically, `CommandLine.arguments` is empty if a
  /// library that was loaded earlier has called `setenv`.
  package static let arguments: [String] = {
    let start = depot_noted_start()
    return (0..<Int(start.count)).compactMap { start.arguments[$0].map { String(cString: $0) } }
  }()
}
