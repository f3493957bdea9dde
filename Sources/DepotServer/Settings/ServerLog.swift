package import DepotLinux
internal import DepotProtocol
internal import Glibc

/// Messages on the standard error, one line each, as key=value or JSON.
///
/// A line begins with its time in UTC; for the journal, which has its own time, with the priority
/// that it understands (sd-daemon(3)). Lines never contain values of attributes.
package struct ServerLog: Sendable {
  /// The severity of a message, with syslog's numbers.
  package enum Level: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
  }

  /// The format of lines.
  package enum Format: String, Sendable, CaseIterable {
    case text
    case json
  }

  /// The value of a field; JSON writes a number as a number.
  package enum Value: Sendable, ExpressibleByStringLiteral {
    case text(String)
    case number(Int64)

    package init(stringLiteral text: String) { self = .text(text) }

    /// Creates a number.
    package static func number(_ number: some BinaryInteger) -> Self {
      .number(Int64(clamping: number))
    }
  }

  private let format: Format
  private let isJournal: Bool
  private let isSilent: Bool
  /// The log file that replaces the standard error, if there is one.
  private let file: LogFile?

  /// Creates a log in a format; a silent one writes nothing.
  package init(format: Format = .text, isSilent: Bool = false, file: LogFile? = nil) {
    self.format = format
    self.isSilent = isSilent
    self.file = file
    isJournal = LogFile.isJournal
  }

  /// Writes one line.
  package func write(_ level: Level, _ message: String, _ fields: [(String, Value)] = []) {
    guard !isSilent else { return }
    var line = isJournal ? "<\(level.rawValue)>" : ""
    let all = [("level", .text("\(level)")), ("msg", .text(message))] + fields
    line += Self.line(format, isJournal ? all : [("time", .text(Self.time))] + all)
    file?.prepare(for: line.utf8.count)
    Terminal.writeError(line)
  }

  /// Opens the log's file again, if it has one.
  ///
  /// - Throws: ``SystemError`` if it can't be opened; the old file stays in use.
  package func reopen() throws(SystemError) { try file?.reopen() }

  /// Returns a line of fields.
  static func line(_ format: Format, _ fields: [(name: String, value: Value)]) -> String {
    switch format {
    case .text:
      return fields.map { name, value in
        switch value {
        case .number(let number): "\(name)=\(number)"
        case .text(let text): "\(name)=\(quote(text))"
        }
      }.joined(separator: " ") + "\n"
    case .json:
      let text = JSONWriter.text { writer in
        writer.object { writer in
          for (name, value) in fields {
            writer.name(name)
            switch value {
            case .number(let number): writer.integer(number)
            case .text(let text): writer.string(text)
            }
          }
        }
      }
      return text + "\n"
    }
  }

  /// The time in RFC 3339 with milliseconds.
  private static var time: String {
    let (seconds, milliseconds) = Clocks.wallMilliseconds().quotientAndRemainder(dividingBy: 1000)
    let text = JSONWriter.text { writer in
      DateText.writeMoment(Double(seconds - 978_307_200), to: &writer)
    }
    let digits = String(1000 + milliseconds).dropFirst()
    return "\(text.dropFirst().dropLast(2)).\(digits)Z"
  }

  private static func quote(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x3D }
    return isPlain && !text.isEmpty ? text : JSONWriter.text { $0.string(text) }
  }
}
