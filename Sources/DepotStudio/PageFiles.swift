internal import CDepotStudio
internal import DepotLinux

/// The files of the page, which are part of the program.
package struct PageFiles: Sendable {
  /// A file in the form for answers.
  struct File: Hashable, Sendable {
    var type: String
    var bytes: [UInt8]
    var compressed: [UInt8]?
    /// The version, in quotation marks (the entity tag).
    var tag: String

    init(_ name: String, _ bytes: [UInt8]) {
      type = PageFiles.type(of: name)
      self.bytes = bytes
      compressed = type.hasPrefix("image/png") ? nil : GZip.shared?.compressed(bytes)
      let digits = SHA1.hash(bytes).map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
      tag = "\"\(digits.joined())\""
    }
  }

  private var files: [String: File] = [:]
  #if DEBUG
  /// The folder from which the files are read at each request, during development of the page.
  private let folder = Process.environment("DEPOT_STUDIO_PAGE")
  #endif

  package init() {
    for position in 0..<depotStudioFileCount() {
      let file = depotStudioFile(position)
      let name = String(cString: file.name)
      files[name] = File(name, Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
    }
  }

  /// The paths without the leading slash.
  package var names: [String] { files.keys.sorted() }

  /// Returns the file at a path; `/` is the first page.
  subscript(path: some StringProtocol) -> File? {
    let name = path == "/" ? "index.html" : String(path.dropFirst())
    #if DEBUG
    if let folder { return developed(name, in: folder) }
    #endif
    return files[name]
  }

  #if DEBUG
  private func developed(_ name: String, in folder: String) -> File? {
    let (parent, base) =
      name.hasPrefix("client/")
      ? (folder + "/../../../proto-docs/clients/js", String(name.dropFirst(7))) : (folder, name)
    // Only names in the folder are accepted, so that a path can't lead elsewhere.
    guard FileSystem.entries(of: parent).contains(base),
      let bytes = FileSystem.contents(of: parent + "/" + base, limit: 1 << 24)
    else { return nil }
    return File(name, bytes)
  }
  #endif

  private static func type(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "json": "application/json"
    default: "application/octet-stream"
    }
  }
}

extension HTTPResponse {
  /// Makes an answer with a file, or the status that the browser's copy is current.
  init(_ file: PageFiles.File, to request: HTTPRequest) {
    let tags = request.fields["if-none-match"]?.split(separator: ",").map(\.trimmedOfBlanks) ?? []
    let encodings =
      request.fields["accept-encoding"]?.split(separator: ",").map(\.trimmedOfBlanks) ?? []
    if tags.contains(file.tag) {
      self.init(.notModified)
    } else if let compressed = file.compressed, encodings.contains("gzip") {
      self.init(file.type, compressed)
      fields.append(("Content-Encoding", "gzip"))
    } else {
      self.init(file.type, file.bytes)
    }
    fields += [("ETag", file.tag), ("Vary", "Accept-Encoding"), ("Cache-Control", "no-cache")]
  }
}
