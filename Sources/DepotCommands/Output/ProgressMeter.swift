internal import DepotLinux

/// The display of progress on standard error.
///
/// On a terminal it is one line, redrawn at most ten times in a second; elsewhere it is a new line
/// every five seconds. Nothing is shown in the first half second.
final class ProgressMeter {
  private enum Display {
    case none
    case line
    case log
  }

  private let messages: Messages
  private let display: Display
  private let start = Monotonic.now()
  private var next: UInt64
  private var isDrawn = false
  private var skipped = 0

  init(_ messages: Messages, isOn: Bool) {
    self.messages = messages
    let isLine = messages.isTerminal && !messages.isDumb
    display = !isOn ? .none : isLine ? .line : .log
    next = start + (isLine ? 500_000_000 : 5_000_000_000)
  }

  /// The seconds since the task began.
  var seconds: Double { Double(Monotonic.now() - start) / 1e9 }

  /// Shows the number of processed rows, and the part of the input if known, if a redraw is due.
  @inline(__always)
  func update(rows: Int, fraction: @autoclosure () -> Double? = nil) {
    skipped += 1
    if skipped < 64 { return }
    skipped = 0
    draw(rows: rows, fraction: fraction())
  }

  /// Shows the progress after a long step.
  func draw(rows: Int, fraction: Double?) { draw(rows, bytes: nil, fraction) }

  /// Shows how many bytes of a file are processed.
  func draw(bytes: Int, of size: Int) {
    draw(0, bytes: bytes, Double(bytes) / Double(max(size, 1)))
  }

  private func draw(_ rows: Int, bytes: Int?, _ fraction: Double?) {
    let now = Monotonic.now()
    guard now >= next else { return }
    let line = ProgressLine(
      rows: rows,
      bytes: bytes,
      seconds: Double(now - start) / 1e9,
      fraction: fraction
    )
    switch display {
    case .none: next = .max
    case .line:
      next = now + 100_000_000
      messages.write("\r\(line.text(width: messages.width - 1))\u{1B}[K")
      isDrawn = true
    case .log:
      next = now + 5_000_000_000
      messages.write(line.plainText + "\n")
    }
  }

  /// Wipes the line, if there is one.
  func finish() {
    if isDrawn { messages.write("\r\u{1B}[K") }
    isDrawn = false
    next = .max
  }
}
