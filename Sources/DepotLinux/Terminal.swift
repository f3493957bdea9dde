internal import CDepotLinux
internal import Glibc

/// The terminal that a program may write to.
package enum Terminal {
  /// Writes text to the standard error with one call, so that lines of several threads and processes stay
  /// apart; a full pipe stops nobody.
  ///
  /// The corresponding C function is `write`.
  package static func writeError(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
  }

  /// Whether a descriptor is a terminal.
  ///
  /// The corresponding C function is `isatty`.
  package static func isTerminal(_ number: Int32) -> Bool { isatty(number) == 1 }

  /// Returns how many columns the terminal has, or `nil` if it isn't one or doesn't know.
  ///
  /// The corresponding C function is `ioctl` with TIOCGWINSZ.
  package static func width(_ number: Int32) -> Int? {
    let width = Int(depot_terminal_width(number))
    return width > 0 ? width : nil
  }

  /// Returns how many columns a program is to fill: those of `$COLUMNS`, else those of the terminal;
  /// `nil` if neither is known.
  package static func wantedWidth(_ number: Int32) -> Int? {
    if let wanted = Process.environment("COLUMNS").flatMap({ Int($0) }), wanted > 0 {
      return wanted
    }
    return width(number)
  }

  /// Returns how many lines the terminal has, or `nil` if it isn't one or doesn't know.
  ///
  /// The corresponding C function is `ioctl` with TIOCGWINSZ.
  package static func height(_ number: Int32) -> Int? {
    let height = Int(depot_terminal_height(number))
    return height > 0 ? height : nil
  }

  /// Leaves the user's interruptions to the programs that this one runs, until the next call of
  /// ``exitOnInterrupt()``.
  ///
  /// The corresponding C function is `signal`.
  package static func ignoreInterrupt() { _ = signal(SIGINT) { _ in } }

  /// Ends the program with status 130 as soon as the user interrupts it, unless a ``HeldInterrupt``
  /// holds that back.
  ///
  /// Text in the last line of the terminal, such as progress, is wiped. The corresponding C
  /// function is `signal`.
  package static func exitOnInterrupt() {
    HeldInterrupt.prepare()
    _ = signal(SIGINT) { _ in
      if HeldInterrupt.take() { return }
      if isatty(2) == 1 {
        // Back to the first column, erase to the end of the line, plain colours.
        var wipe: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) =
          (0x0D, 0x1B, 0x5B, 0x4B, 0x1B, 0x5B, 0x30, 0x6D)
        _ = write(2, &wipe, 8)
      }
      _exit(130)
    }
  }
}
