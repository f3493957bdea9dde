import Foundation
import Testing

/// The folders of each module, each of which uses only those below it.
///
/// `CONTRIBUTING.md` lists them from the lowest up, with a heading for each module. The list there is the
/// rule; there is no other.
@Suite struct StoreyTests {
  private let root: URL
  private let storeys: [String: [String]]
  private let modules: [String: ModuleSources]

  init() throws {
    root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "CONTRIBUTING.md"), encoding: .utf8)
    storeys = Self.storeys(on: page)
    modules = try ModuleSources.all(in: root.appending(path: "Sources"))
  }

  @Test func `CONTRIBUTING lists the folders of every module that has several`() {
    let several = modules.filter { $0.value.folders.count > 1 && $0.key != "Examples" }
    #expect(Set(storeys.keys) == Set(several.keys))
    for module in several.keys {
      #expect(Set(storeys[module] ?? []) == several[module]?.folders, "\(module)")
      #expect(Set(storeys[module] ?? []).count == storeys[module]?.count, "one of \(module) twice")
    }
  }

  @Test func `a folder uses only types of those below it`() {
    for (module, order) in storeys {
      for use in modules[module]?.uses ?? [] {
        guard let user = order.firstIndex(of: use.user), let used = order.firstIndex(of: use.used)
        else { continue }
        let (file, type) = (use.file, use.type)
        #expect(used < user, "\(module)/\(file) names \(type), of \(use.used), which is above it")
      }
    }
  }

  @Test func `the uses of a module are found in its texts`() {
    let sources = ModuleSources(files: [
      "Low/A.swift": "/// As B is.\nstruct A { let text = \"B\"; func a() { other() } }",
      "High/B.swift": "import Kit\nfinal class B: Sendable { let a: A?; struct Part {} }",
      "main.swift": "public import struct Kit.Tool\nlet b = B.Part()",
    ])
    #expect(sources.folders == ["Low", "High", "."])
    #expect(
      Set(sources.uses.map { "\($0.user) \($0.used) \($0.type)" })
        == ["High Low A", ". High B", ". High Part"]
    )
  }

  /// Returns the lists of a page: the folders below a heading with a module's name, from the first word
  /// of each line of its block.
  private static func storeys(on page: String) -> [String: [String]] {
    var found: [String: [String]] = [:]
    for section in page.components(separatedBy: "\n#### `").dropFirst() {
      let parts = section.components(separatedBy: "```")
      guard parts.count > 2 else { continue }
      found[String(section.prefix { $0 != "`" })] = parts[1].split(separator: "\n").compactMap {
        $0.split(separator: " ").first.map(String.init)
      }.filter { $0 != "text" }
    }
    return found
  }
}

/// The Swift files of a module: its folders, and the types that they declare and use.
private struct ModuleSources {
  /// A file's use of a type that another folder declares.
  struct Use {
    let file: String
    let user: String
    let used: String
    let type: String
  }

  let folders: Set<String>
  let uses: [Use]

  /// Reads the texts of a module's files by their paths in it.
  init(files: [String: String]) {
    var home: [Substring: Set<String>] = [:]
    var names: [String: Set<Substring>] = [:]
    for (path, text) in files {
      let words = Self.words(of: text)
      // An import names the kind of the type that it brings along, too.
      for (before, (keyword, name)) in zip([""] + words, zip(words, words.dropFirst()))
      where before != "import" && Self.keywords.contains(keyword)
        && name.first?.isUppercase == true
      {
        home[name, default: []].insert(Self.folder(of: path))
      }
      names[path] = Set(words)
    }
    folders = Set(files.keys.map(Self.folder))
    uses = names.flatMap { path, names in
      names.compactMap { name -> Use? in
        let user = Self.folder(of: path)
        // A name that several folders declare belongs to none.
        guard let folders = home[name], folders.count == 1, let used = folders.first, used != user
        else { return nil }
        return Use(file: path, user: user, used: used, type: String(name))
      }
    }
  }

  private static let keywords: Set<Substring> = [
    "actor", "class", "enum", "protocol", "struct", "typealias",
  ]

  /// Returns the words of a text outside of comments and of strings in one line.
  private static func words(of text: String) -> [Substring] {
    var words: [Substring] = []
    for line in text.split(separator: "\n") {
      var isText = false
      var start: Substring.Index?
      var last: UInt8 = 0
      for (index, byte) in zip(line.utf8.indices, line.utf8) {
        if byte == UInt8(ascii: "\""), last != UInt8(ascii: "\\") { isText.toggle() }
        let isComment = !isText && byte == UInt8(ascii: "/") && last == byte
        let isWord = !isText && (byte == UInt8(ascii: "_") || Self.isAlphanumeric(byte))
        if isWord {
          if start == nil { start = index }
        } else if let first = start {
          words.append(line[first..<index])
          start = nil
        }
        last = byte
        if isComment { break }
      }
      if let start { words.append(line[start...]) }
    }
    return words
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  private static func folder(of path: String) -> String {
    path.contains("/") ? String(path.prefix { $0 != "/" }) : "."
  }

  /// Reads all modules below the folder of the sources.
  static func all(in sources: URL) throws -> [String: ModuleSources] {
    let paths = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String }
    var files: [String: [String: String]] = [:]
    for path in paths ?? [] where path.hasSuffix(".swift") {
      let parts = path.split(separator: "/", maxSplits: 1)
      files[String(parts[0]), default: [:]][String(parts[1])] = try String(
        contentsOf: sources.appending(path: path),
        encoding: .utf8
      )
    }
    return files.mapValues(ModuleSources.init)
  }
}
