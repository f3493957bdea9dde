import Foundation
import TestSupport
import Testing

/// The pages of the documentation, checked as texts.
@Suite struct PagesTests {
  private static let root = URL(filePath: Programs.root)
  private static let manual = root.appending(path: "Sources/Manual/Depot.docc")

  /// All pages that people read in the repository.
  private static let pages: [String] = {
    let entries = FileManager.default.enumerator(atPath: root.path)
    var pages: [String] = []
    while let path = entries?.nextObject() as? String {
      if [".build", ".git"].contains(path) { entries?.skipDescendants() }
      if path.hasSuffix(".md") { pages.append(path) }
    }
    return pages.sorted()
  }()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Returns a page without its fenced blocks.
  private static func prose(_ page: String) -> String {
    page.components(separatedBy: "\n```").enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
      .joined(separator: "\n")
  }

  /// Returns the anchor that forges give a heading.
  private static func anchor(_ heading: Substring) -> String {
    heading.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
      .replacing(" ", with: "-")
  }

  @Test func `the README fits two screens of a browser`() throws {
    #expect(
      try Self.text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count
        <= 171
    )
  }

  @Test(arguments: pages)
  func `every link of a page leads to a file and a heading that are there`(page: String) throws {
    let text = Self.prose(try Self.text(page))
    let folder = Self.root.appending(path: page).deletingLastPathComponent()
    for link in text.matches(of: /\]\(([^()#\s]*)(#[^()\s]*)?\)/) {
      let path = String(link.1)
      if path.contains("://") || path.hasPrefix("doc:") { continue }
      let resource = folder.appending(path: "Resources").appending(path: path)
      if FileManager.default.fileExists(atPath: resource.path), !path.isEmpty { continue }
      let file = path.isEmpty ? Self.root.appending(path: page) : folder.appending(path: path)
      #expect(FileManager.default.fileExists(atPath: file.path), "\(path)")
      guard let wanted = link.2?.dropFirst(), file.pathExtension == "md" else { continue }
      let headings = Self.prose(try String(contentsOf: file, encoding: .utf8)).split(
        separator: "\n"
      )
      .filter { $0.hasPrefix("#") }.map { Self.anchor($0.drop { "# ".contains($0) }) }
      #expect(headings.contains(String(wanted)), "\(path)#\(wanted)")
    }
  }

  @Test func `the first page of the manual links every other one`() throws {
    let first = try Self.text("Sources/Manual/Depot.docc/Depot.md")
    for path in Self.pages where path.hasPrefix("Sources/") && path.contains(".docc/") {
      let name = URL(filePath: path).lastPathComponent
      guard !["Depot.md", "CustomStores.md"].contains(name) else { continue }
      #expect(first.contains("/\(name))") || first.contains("(\(name))"), "\(path)")
    }
  }

  @Test func `every error has its remedy, its retry, and its exit status`() throws {
    let json = try JSONSerialization.jsonObject(
      with: Data(contentsOf: Self.root.appending(path: "proto-docs/errors.json"))
    )
    let errors = try #require(json as? [String: [[String: Any]]])
    let page = try Self.text("Sources/Manual/Depot.docc/Faults.md")
    var rows: [String: (section: String, retry: String)] = [:]
    for section in page.components(separatedBy: "\n## ").dropFirst() {
      let name = String(section.prefix { $0 != "\n" })
      for row in section.matches(of: /\n\| `([a-z_]+\.[a-z_]+)` \| ([^|]+) \| [^|]{8,} \|/) {
        #expect(rows.updateValue((name, String(row.2)), forKey: String(row.1)) == nil, "\(row.1)")
      }
    }
    for class_ in errors["classes"] ?? [] {
      let name = class_["name"] as? String ?? ""
      let section = page.components(separatedBy: "\n## \(name)\n").last ?? ""
      let status = class_["exitStatus"] as? Int ?? 0
      #expect(section.prefix(120).contains("exit status \(status)."), "\(name)")
      for code in errors["codes"] ?? [] where code["class"] as? String == name {
        let text = code["code"] as? String ?? ""
        let own = code["exitStatus"] as? Int ?? 0
        var retry = code["retry"] as? String ?? ""
        if own != status { retry += ", exit \(own)" }
        let row = rows.removeValue(forKey: text)
        #expect(row?.section == name, "\(text)")
        #expect(row?.retry == retry, "\(text)")
      }
    }
    #expect(rows.keys.sorted() == [], "there are no such errors")
  }

  @Test func `docc takes the manual without a warning`() throws {
    let swift = try Program.run(["bash", "-c", "realpath \"$(command -v swift)\""]).output
    let docc = URL(filePath: swift.trimmingCharacters(in: .newlines)).deletingLastPathComponent()
      .appending(path: "docc").path
    guard FileManager.default.isExecutableFile(atPath: docc) else { return }
    let folder = try TemporaryFolder()
    let catalog = folder.path + "/Depot.docc"
    let assembled = try Program.run([Programs.root + "/Sources/Manual/assemble", catalog])
    #expect(assembled.status == 0, "\(assembled.errors)")
    let outcome = try Program.run([
      docc, "convert", catalog, "--warnings-as-errors", "--fallback-display-name", "Depot",
      "--fallback-bundle-identifier", "depot.Manual", "--output-path", folder.path + "/out",
    ])
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
  }

  @Test func `each word of CONTRIBUTING has a type that is there`() throws {
    let page = try Self.text("CONTRIBUTING.md")
    let words =
      page.components(separatedBy: "\n## Words\n").last?
      .components(separatedBy: "\n## ").first ?? ""
    let rows = words.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
    #expect(rows.count > 20)
    let entries = FileManager.default.enumerator(atPath: Self.root.path + "/Sources")
    var sources = ""
    while let path = entries?.nextObject() as? String {
      if path.hasSuffix(".swift") { sources += try Self.text("Sources/" + path) }
    }
    let types = Set(
      sources.matches(of: /\b(?:struct|class|enum|actor|protocol) ([A-Z]\w*)/).map { $0.1 }
    )
    for row in rows {
      let named = row.split(separator: "|").last?.matches(of: /`(\w+)`/).map { $0.1 } ?? []
      #expect(!named.isEmpty, "\(row)")
      for type in named { #expect(types.contains(type), "\(type)") }
    }
  }

  @Test func `the workflow runs what a change must pass, and targets that are there`() throws {
    let workflow = try Self.text(".github/workflows/ci.yml")
    let makefile = try Self.text("Makefile")
    #expect(workflow.contains("run: .ci/run\n"))
    let targets = workflow.matches(of: /run: make ([a-z-]+)/).map { $0.1 }
    #expect(Set(targets) == ["deb", "docs"])
    for target in targets { #expect(makefile.contains("\n\(target):"), "\(target)") }
    let form = try Self.text(".github/ISSUE_TEMPLATE/defect.yml")
    for command in ["depot --version", "depot service status", "depot doctor"] {
      #expect(form.contains(command))
    }
  }
}
