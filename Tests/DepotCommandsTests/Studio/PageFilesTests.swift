import Foundation
import TestSupport
import Testing

@testable import DepotStudio

/// The files inside the program.
@Suite struct PageFilesTests {
  private static func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: Programs.root + "/" + folder)
      .filter { !$0.hasPrefix(".") }
  }

  @Test func `the program has the files of the page and of the client, as they are`() throws {
    let page = try Self.names("Sources/DepotStudio/Page")
    let client = try Self.names("proto-docs/clients/js").filter {
      $0.hasSuffix(".js") && $0 != "node.js"
    }
    let files = PageFiles()
    #expect(
      files.names == (page + client.map { "client/\($0)" }).sorted(),
      "Sources/CDepotStudio/page.c lists them"
    )
    for name in files.names {
      let path =
        name.hasPrefix("client/")
        ? "proto-docs/clients/js/\(name.dropFirst(7))" : "Sources/DepotStudio/Page/\(name)"
      let bytes = try Data(contentsOf: URL(filePath: Programs.root + "/" + path))
      #expect(files["/\(name)"].map { Data($0.bytes) } == bytes, "\(name)")
      #expect(files["/\(name)"]?.type != "application/octet-stream", "\(name)")
    }
  }

  @Test func `the page has no script and no style in its markup`() throws {
    for name in try Self.names("Sources/DepotStudio/Page") where name.hasSuffix(".html") {
      let path = Programs.root + "/Sources/DepotStudio/Page/\(name)"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(
        text.firstMatch(of: #/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:/#)
          == nil
      )
      #expect(text.firstMatch(of: #/(?:src|href)="(?:https?:)?\/\//#) == nil, "another origin")
    }
  }

  @Test func `all that opens the page is at most 150 KB`() {
    let files = PageFiles()
    let size = files.names.reduce(0) { sum, name in
      let file = files["/\(name)"]
      return sum + (file?.compressed?.count ?? file?.bytes.count ?? 0)
    }
    #expect(size <= 150_000)
  }
}
