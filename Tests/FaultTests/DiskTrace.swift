import Foundation
import TestSupport

/// The writes and flushes of a daemon in the folder of its store, as strace told them.
///
/// Flushed bytes are on disk; any of the others may be lost when power fails, each file's apart from the
/// others'. Names are taken to be on disk at once.
struct DiskTrace {
  enum Event {
    case write(file: String, offset: Int, bytes: ArraySlice<UInt8>)
    case cut(file: String, size: Int)
    case flush(file: String)
    case rename(from: String, to: String)
    case remove(file: String)
    case create(file: String)
    /// A call was answered with success.
    case answer
  }

  private(set) var events: [Event] = []

  /// How strace must write the calls.
  static let options = ["-y", "-xx", "-s", "9000000"]
  /// The calls that strace must follow.
  static let expression = "trace=openat,pwrite64,ftruncate,fsync,fdatasync,rename,unlink,sendto"

  /// Reads what strace wrote about the files in a folder.
  init(_ text: Data, folder: String) throws {
    let prefix = folder + "/"
    var unfinished: [Data: Data] = [:]
    for line in text.split(separator: 0x0A) {
      // A call during which another thread made one is told in two lines.
      let process = Data(line.prefix { $0 != 0x20 })
      if line.suffix(Self.unfinished.count) == Self.unfinished {
        unfinished[process] = Data(line.dropLast(Self.unfinished.count))
      } else if let rest = line.prefix(64).range(of: Data(" resumed>".utf8)),
        let beginning = unfinished.removeValue(forKey: process)
      {
        let whole = beginning + line[rest.upperBound...]
        if let event = Self.event(whole, prefix) { events.append(event) }
      } else if let event = Self.event(line, prefix) {
        events.append(event)
      }
    }
  }

  private static let unfinished = Data(" <unfinished ...>".utf8)

  /// strace writes texts as `"\x61\x62"`, and a descriptor with its file as `9<\x2f\x74>`.
  private static func event(_ line: Data, _ prefix: String) -> Event? {
    // The process number comes first.
    guard let start = line.firstIndex(where: { 0x61...0x7A ~= $0 }),
      let open = line[start...].firstIndex(of: 0x28), let failure = line.lastIndex(of: 0x3D),
      line[failure...].dropFirst(2).first != 0x2D
    else { return nil }
    let name = String(decoding: line[start..<open], as: UTF8.self)
    let arguments = line[line.index(after: open)..<failure]
    func ours(_ bytes: [UInt8]) -> String? {
      let path = String(decoding: bytes, as: UTF8.self)
      return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
    }
    var file: String? {
      guard let open = arguments.firstIndex(of: 0x3C),
        let end = arguments[open...].firstIndex(of: 0x3E)
      else { return nil }
      return ours(decode(arguments[open..<end]))
    }
    var numbers: [Int] {
      let end = arguments.lastIndex(of: 0x22) ?? arguments.lastIndex(of: 0x3E)
      let rest = arguments[(end.map { arguments.index(after: $0) } ?? arguments.startIndex)...]
      return String(decoding: rest, as: UTF8.self).split { !$0.isNumber }.compactMap { Int($0) }
    }
    switch name {
    case "pwrite64":
      guard let file, let (text, _) = quoted(arguments), let offset = numbers.last else {
        return nil
      }
      return .write(file: file, offset: offset, bytes: decode(text)[...])
    case "ftruncate":
      guard let file, let size = numbers.last else { return nil }
      return .cut(file: file, size: size)
    case "fsync", "fdatasync": return file.map { .flush(file: $0) }
    case "unlink":
      return quoted(arguments).flatMap { ours(decode($0.text)) }.map { .remove(file: $0) }
    case "openat":
      guard let (text, end) = quoted(arguments),
        String(decoding: arguments[end...], as: UTF8.self).contains("O_CREAT")
      else { return nil }
      return ours(decode(text)).map { .create(file: $0) }
    case "rename":
      guard let (from, end) = quoted(arguments), let (to, _) = quoted(arguments[end...]),
        let old = ours(decode(from)), let new = ours(decode(to))
      else { return nil }
      return .rename(from: old, to: new)
    case "sendto":
      guard let (text, _) = quoted(arguments) else { return nil }
      return String(decoding: decode(text), as: UTF8.self).contains("\"ok\"") ? .answer : nil
    default: return nil
    }
  }

  private static func quoted(_ bytes: Data) -> (text: Data, end: Int)? {
    guard let first = bytes.firstIndex(of: 0x22),
      let last = bytes[bytes.index(after: first)...].firstIndex(of: 0x22)
    else { return nil }
    return (bytes[bytes.index(after: first)..<last], bytes.index(after: last))
  }

  /// Reads bytes that are written as `\x61`.
  private static func decode(_ text: Data) -> [UInt8] {
    text.withUnsafeBytes { text in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.count / 4)
      var place = 0
      while place &+ 3 < text.count {
        guard text[place] == 0x5C else {
          place = place &+ 1
          continue
        }
        bytes.append(digit(text[place &+ 2]) << 4 | digit(text[place &+ 3]))
        place = place &+ 4
      }
      return bytes
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8 { byte < 0x3A ? byte &- 0x30 : byte &- 0x57 }
}

/// The files of a folder while a trace is followed.
struct TracedDisk {
  private struct File {
    var flushed: [UInt8] = []
    /// Writes and cuts since then, in their order.
    var later: [DiskTrace.Event] = []
  }

  private var files: [String: File]
  /// How many calls were answered.
  private(set) var answers = 0

  /// Begins with files that are on disk.
  init(_ files: [String: Data]) {
    self.files = files.mapValues { File(flushed: [UInt8]($0)) }
  }

  /// Goes on by one event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - liar: The suffix of files of which no flush is believed.
  mutating func follow(_ event: DiskTrace.Event, ignoringFlushesOf liar: String? = nil) {
    switch event {
    case .write(let file, _, _), .cut(let file, _): files[file, default: File()].later.append(event)
    case .flush(let file):
      if let liar, file.hasSuffix(liar) { return }
      guard let known = files[file] else { return }
      files[file] = File(flushed: Self.apply(known.later, to: known.flushed))
    case .rename(let old, let new):
      files[new] = files.removeValue(forKey: old)
    case .remove(let file): files[file] = nil
    case .create(let file): files[file] = files[file] ?? File()
    case .answer: answers += 1
    }
  }

  /// The names of files with writes that aren't flushed.
  var unflushed: [String] { files.filter { !$0.value.later.isEmpty }.keys.sorted() }

  /// The fate of a file's unflushed writes when power fails.
  enum Fate: CaseIterable {
    case lost
    case kept
    /// Each write is on disk or not.
    case mixed
    /// Each sector of each write is.
    case torn
  }

  /// Returns the files as power leaves them.
  ///
  /// - Parameters:
  ///   - fates: The fates of files by name; the others' writes are kept.
  ///   - random: Decides of single writes and sectors.
  /// - Returns: The content of each file by its name.
  func afterLoss(_ fates: [String: Fate], _ random: inout SeededGenerator) -> [String: Data] {
    var result: [String: Data] = [:]
    for (name, file) in files.sorted(by: { $0.key < $1.key }) {
      let kept: [DiskTrace.Event] =
        switch fates[name] ?? .kept {
        case .lost: []
        case .kept: file.later
        case .mixed: file.later.filter { _ in Bool.random(using: &random) }
        case .torn:
          file.later.flatMap(Self.sectors).filter { _ in Bool.random(using: &random) }
        }
      result[name] = Data(Self.apply(kept, to: file.flushed))
    }
    return result
  }

  /// Splits a write at the ends of sectors, each of which a disk writes at once.
  private static func sectors(of event: DiskTrace.Event) -> [DiskTrace.Event] {
    guard case .write(let file, let start, let bytes) = event else { return [event] }
    var result: [DiskTrace.Event] = []
    var rest = bytes
    while !rest.isEmpty {
      let offset = start + bytes.count - rest.count
      let piece = rest.prefix(512 - offset % 512)
      result.append(.write(file: file, offset: offset, bytes: piece))
      rest = rest.dropFirst(piece.count)
    }
    return result
  }

  private static func apply(_ events: [DiskTrace.Event], to bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for event in events {
      switch event {
      case .write(_, let offset, let content):
        let end = offset + content.count
        if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
        bytes.replaceSubrange(offset..<end, with: content)
      case .cut(_, let size):
        if bytes.count > size { bytes.removeLast(bytes.count - size) }
        if bytes.count < size { bytes += [UInt8](repeating: 0, count: size - bytes.count) }
      default: break
      }
    }
    return bytes
  }
}
