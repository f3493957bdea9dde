internal import DepotLinux

/// The file that keeps the lines of the shell, for its owner only.
struct HistoryFile {
  let path: String

  private static let limit = 4 << 20

  /// The user's own: `$XDG_STATE_HOME/depot/history`, else `~/.local/state/depot/history`.
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

  /// Adds a line; a history that can't be written is no reason to end.
  func append(_ line: String) {
    guard line.contains(where: { !$0.isWhitespace }) else { return }
    FileSystem.createPrivateFolder(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    guard let file = try? Descriptor.open(appending: path) else { return }
    var text = LineHistory.encoded(line)
    text.withUTF8 { try? file.write(UnsafeRawBufferPointer($0)) }
  }

  /// Shortens the file if it has grown over what is read.
  func shorten(to history: LineHistory) {
    let size = (try? Descriptor.open(reading: path))?.regularFileSize ?? 0
    guard size > Self.limit / 4, let file = try? Descriptor.create(path: path) else { return }
    var text = history.lines.map(LineHistory.encoded).joined()
    text.withUTF8 { try? file.write(UnsafeRawBufferPointer($0)) }
  }
}
