internal import DepotLinux
internal import DepotProtocol
internal import Glibc

/// Messages on the standard error, one line each, as key=value or JSON.
///
/// Values of attributes never stand in them.
package struct ServerLog: Sendable {
  /// How important a message is, with syslog's numbers.
  package enum Level: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
  }

  /// How lines are written.
  package enum Format: String, Sendable, CaseIterable {
    case text
    case json
  }

  private let format: Format
  private let hasPriority: Bool
  private let isSilent: Bool

  /// Creates a log in a format, or one that writes nothing.
  package init(format: Format = .text, isSilent: Bool = false) {
    self.format = format
    self.isSilent = isSilent
    hasPriority = isatty(2) == 0 && Process.environment("JOURNAL_STREAM") != nil
  }

  /// Writes one line.
  package func write(_ level: Level, _ message: String, _ fields: [(String, String)] = []) {
    guard !isSilent else { return }
    var line = hasPriority ? "<\(level.rawValue)>" : ""
    switch format {
    case .text:
      line += "level=\(level) msg=\(Self.quote(message))"
      for (name, value) in fields { line += " \(name)=\(Self.quote(value))" }
    case .json:
      line += "{\"level\":\"\(level)\",\"msg\":\(Self.string(message))"
      for (name, value) in fields { line += ",\"\(name)\":\(Self.string(value))" }
      line += "}"
    }
    line += "\n"
    // One write per line keeps lines of several processes apart; a full pipe must not stop us.
    line.withUTF8 { _ = Glibc.write(2, $0.baseAddress, $0.count) }
  }

  private static func quote(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x3D }
    return isPlain && !text.isEmpty ? text : string(text)
  }

  private static func string(_ text: String) -> String {
    JSONWriter.text { $0.string(text) }
  }
}
