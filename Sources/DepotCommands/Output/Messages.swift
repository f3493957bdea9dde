internal import DepotLinux

/// Standard error: messages for people, and no data.
struct Messages {
  let isTerminal: Bool
  /// Whether the terminal can't move its cursor.
  let isDumb: Bool
  let usesColor: Bool
  /// The pager of the output, which must end before anything else is written to the terminal.
  var pager: Pager?
  private let descriptor: Descriptor

  init(_ descriptor: Descriptor, allowsColor: Bool) {
    self.descriptor = descriptor
    isTerminal = Terminal.isTerminal(descriptor.number)
    isDumb = Process.environment("TERM").map { $0 == "dumb" } ?? true
    usesColor = isTerminal && Self.allowsColor(allowsColor)
  }

  /// Whether the user and the environment allow colors.
  static func allowsColor(_ option: Bool) -> Bool {
    option && Process.environment("NO_COLOR") == nil && Process.environment("TERM") != "dumb"
  }

  /// The columns of the terminal.
  var width: Int { Terminal.width(descriptor.number) ?? 80 }

  /// The width for lines in columns; `nil` if unknown.
  var wrapsAt: Int? { isTerminal ? Terminal.wantedWidth(descriptor.number) ?? width : nil }

  /// Writes text; a failure to do so is ignored.
  func write(_ text: String) {
    pager?.end()
    try? descriptor.write(Array(text.utf8))
  }
}
