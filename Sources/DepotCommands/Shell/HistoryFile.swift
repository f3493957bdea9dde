internal import DepotLinux

/// The file of the shell's lines, which only its owner can read.
struct HistoryFile {
  let path: String

  private static let limit = 4 << 20

  /// The user's file: `$XDG_STATE_HOME/depot/history`, or else `~/.local/state/depot/history`.
  static var standard: HistoryFile? {
    let state =
      Process.environment("XDG_STATE_HOME")
      ?? Process.environment("HOME").map { $0 + "/.local/state" }
    return state.map { HistoryFile(path: $0 + "/depot/history") }
  }

  /// Returns the lines; none if there is no such file.
  func read() -> LineHistory {
    let bytes = FileSystem.contents(of: path, limit: Self.limit) ?? []
    return LineHistory(text: String(decoding: bytes, as: UTF8.self))
  }

  /// Adds a line; failing to write it is ignored.
  func append(_ line: String) {
    guard line.contains(where: { !$0.isWhitespace }) else { return }
    let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    try? FileSystem.createPrivateFolder(String(folder))
    try? Descriptor.open(appending: path).write(Array(LineHistory.encoded(line).utf8))
  }

  /// Shortens the file to the given lines if it is over a quarter of the limit for reading.
  func shorten(to history: LineHistory) {
    let size = (try? Descriptor.open(reading: path))?.regularFileSize ?? 0
    guard size > Self.limit / 4 else { return }
    let text = history.lines.map(LineHistory.encoded).joined()
    try? Descriptor.create(path: path).write(Array(text.utf8))
  }
}
