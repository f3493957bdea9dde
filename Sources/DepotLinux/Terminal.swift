internal import CDepotLinux
internal import Glibc

/// The terminal of a program.
package enum Terminal {
  /// Writes text to the standard error, and doesn't wait if a pipe is full.
  ///
  /// It uses one call of `write`, so that lines of several threads and processes aren't mixed.
  package static func writeError(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
  }

  /// Whether a descriptor is a terminal.
  ///
  /// The corresponding C function is `isatty`.
  package static func isTerminal(_ number: Int32) -> Bool { isatty(number) == 1 }

  /// Returns the terminal's width in columns, or `nil` if it isn't a terminal or has no width.
  ///
  /// The corresponding C function is `ioctl` with TIOCGWINSZ.
  package static func width(_ number: Int32) -> Int? {
    let width = Int(depot_terminal_width(number))
    return width > 0 ? width : nil
  }

  /// Returns the width in columns for output: `$COLUMNS`, or else the terminal's.
  ///
  /// - Returns: `nil` if neither is known.
  package static func wantedWidth(_ number: Int32) -> Int? {
    if let wanted = Process.environment("COLUMNS").flatMap({ Int($0) }), wanted > 0 {
      return wanted
    }
    return width(number)
  }

  /// Returns the terminal's height in lines, or `nil` if it isn't a terminal or has no height.
  ///
  /// The corresponding C function is `ioctl` with TIOCGWINSZ.
  package static func height(_ number: Int32) -> Int? {
    let height = Int(depot_terminal_height(number))
    return height > 0 ? height : nil
  }

  /// Ignores the user's interrupts, so that they only end programs that this one runs.
  ///
  /// The next call of ``exitOnInterrupt()`` restores them. The corresponding C function is
  /// `signal`.
  package static func ignoreInterrupt() { _ = signal(SIGINT) { _ in } }

  /// Ends the program with status 130 when the user interrupts it.
  ///
  /// A ``HeldInterrupt`` may delay that. The end erases the terminal's last line, which may show
  /// progress. The corresponding C function is `signal`.
  package static func exitOnInterrupt() {
    HeldInterrupt.prepare()
    _ = signal(SIGINT) { _ in
      if HeldInterrupt.take() { return }
      if isatty(2) == 1 {
        // Moves to the first column, erases to the end of the line, and resets the colours.
        var wipe: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) =
          (0x0D, 0x1B, 0x5B, 0x4B, 0x1B, 0x5B, 0x30, 0x6D)
        _ = write(2, &wipe, 8)
      }
      _exit(130)
    }
  }
}
