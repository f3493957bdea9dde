internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// `depot doctor`: the files left by killed programs.
enum DoctorVerb {
  private static let clean: OptionSpec = "--clean: remove them"

  static let verb = Verb(
    name: "doctor",
    operands: .init("[DIR …]", 0...Int.max, .files),
    summary: "name the files that killed programs have left, and remove them",
    details: """
      They are folders of imports, exports, and backups in $TMPDIR, or /tmp; and in each DIR the .part
      files and folders of backups, those of exports, also in the folders of DIR, and journals of imports
      into stores that the service doesn't have. Without DIR the current folder and those of the service's
      stores are looked at. A file that a running program needs isn't among them.
      """,
    examples: ["depot doctor", "depot doctor /var/backups --clean"],
    options: [clean]
  ) { session in
    try session.require(.documents)
    let connection = try session.connectIfRunning()
    let stores = try connection?.containers().flatMap(\.stores) ?? []
    var folders = session.invocation.operands
    if folders.isEmpty {
      let paths = stores.compactMap(\.path).filter { !ContainerStore.isDatabase($0) }
      folders = ["."] + paths.map { String($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)]) }
    }
    var left = PrivateFolder.left().map { place in
      Leftover(path: place.path, origin: "\(place.work) that was killed", remove: place.remove)
    }
    for folder in Set(folders.compactMap(FileSystem.destination)).sorted() {
      left += Leftover.all(in: folder, stores: connection.map { _ in stores.map(\.identifier) })
    }
    let cleans = session.invocation.has(clean)
    if cleans { for leftover in left { leftover.remove() } }
    let rows = left.map { leftover in
      let isGone = FileSystem.size(of: leftover.path) == nil
      return (leftover, isGone)
    }
    guard !left.isEmpty || !session.format.isTable else {
      return session.output.append("Nothing is left.\n")
    }
    try session.write(
      .array(
        rows.map { leftover, isGone in
          .object([
            "path": .string(leftover.path), "of": .string(leftover.origin),
            "removed": .bool(isGone),
          ])
        }
      ),
      orTable: [cleans ? "removed" : "left", "of"],
      rows.map { leftover, isGone in
        let text = cleans && !isGone ? "\(leftover.path) (still there)" : leftover.path
        return [TableCell(text: text), TableCell(text: leftover.origin)]
      }
    )
    if !cleans, !left.isEmpty { session.say("To remove them, add --clean.") }
  }
}
