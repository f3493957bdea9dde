internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// The inspection of a store's files before SQLite opens them, and their repair.
extension StoreFiles {
  /// Inspects the files of a store before SQLite opens them.
  func evidence() throws(DepotError) -> StoreEvidence {
    let state = try state()
    var expected = 0
    if case .known(let known) = state { expected = Int(known.frames) }
    do {
      let file = try reread(path)
      let log = try reread(path + "-wal")
      let page = try file.map(Self.firstPage)
      let header = page?.withUnsafeBytes(DatabaseHeader.init)
      let survey = try log.map { try WALSurvey($0, expecting: expected) } ?? WALSurvey()
      return StoreEvidence(
        main: try file.map { try main($0, page ?? [], header, state) } ?? .missing,
        hasLog: log != nil,
        log: survey,
        state: state,
        pageSize: header?.pageSize ?? survey.pageSize ?? DatabaseHeader.newPageSize
      )
    } catch {
      throw self.error(error)
    }
  }

  private func state() throws(DepotError) -> StoreEvidence.State {
    do throws(SystemError) {
      guard let known = try StateFile.state(of: path) else { return .damaged }
      return .known(known)
    } catch {
      if error.isMissingFile { return .missing }
      throw DepotError(error, file: StateFile.path(of: path))
    }
  }

  /// Inspects the store's database file.
  ///
  /// If there is a state file, an invalid first page means damage.
  private func main(
    _ file: StoredFile,
    _ page: [UInt8],
    _ header: DatabaseHeader?,
    _ state: StoreEvidence.State
  ) throws -> StoreEvidence.Main {
    let size = try file.size()
    if size == 0 { return .empty }
    guard let header, header.isIntact(page) else {
      if case .known(let state) = state, let stamp = state.stamp(ofTorn: page) {
        return .sealed(size: size, stamp: stamp, isTorn: true)
      }
      if case .known(let state) = state, state.isNew, Self.isBeginning(page, size: size) {
        return .begun
      }
      // Earlier formats had other checksums.
      if let header, header.applicationIdentifier == CatalogTables.applicationIdentifier,
        1..<CatalogTables.formats.lowerBound ~= header.userVersion
      {
        try check(header)
      }
      // The header is then unreliable.
      if state != .missing { return .sealed(size: size, stamp: nil) }
      guard let header else {
        throw DepotError(.corrupt, "\(path) isn't a store.").hint("Use another path.")
      }
      guard header.isSealed else {
        // It is another program's database, or a store of an early format.
        try check(application: header.applicationIdentifier, version: header.userVersion)
        return .sealed(size: size, stamp: nil)
      }
      try check(header)
      return .sealed(size: size, stamp: nil)
    }
    try check(header)
    return .sealed(size: size, stamp: header.stamp)
  }

  /// Whether a file has only whole sectors of a new database's first page, or zeros in their place.
  private static func isBeginning(_ page: [UInt8], size: Int) -> Bool {
    guard size <= 4096, size % 512 == 0 else { return false }
    let mark = page.prefix(16)
    return mark.allSatisfy { $0 == 0 } || mark.elementsEqual("SQLite format 3\0".utf8)
  }

  /// Throws an error for a file that isn't a store.
  private func check(_ header: DatabaseHeader) throws(DepotError) {
    // Until the first checkpoint, both values are only in the log.
    if header.applicationIdentifier == 0, header.userVersion == 0 { return }
    try check(application: header.applicationIdentifier, version: header.userVersion)
  }

  /// The error for a lost part of the store.
  func error(_ loss: StoreEvidence.Loss) -> DepotError {
    var message = "\(path)\(loss.file) \(loss.reason)."
    var since: String?
    if let commits = loss.commits, commits > 0 {
      message += " At most \(commits) commit\(commits == 1 ? " is" : "s are") missing"
      since = loss.since.map(Self.moment)
      if let since { message += ", from \(since) on" }
      message += "."
    }
    return DepotError(.corrupt, message)
      .hint(
        loss.file == ".state" && FileSystem.hasOtherNames(path)
          ? """
          Nothing was changed. The file has another name too, as a hard link: open the store by the \
          name beside which its other files are, and make copies with depot backup.
          """
          : """
          Nothing was changed. Put the file back that belongs there, or restore a backup; to go on with \
          what is there, start depotd with --accept-loss.
          """
      )
      .detail("path", path + loss.file).detail("since", since)
      .detail("commits", loss.commits.flatMap { $0 > 0 ? $0 : nil })
  }

  /// Returns the text of a time in milliseconds since 1970.
  private static func moment(_ milliseconds: Int64) -> String {
    DateText.moment(Double(milliseconds / 1000) - 978_307_200)
  }

  /// The error for a damaged first page that the log doesn't have.
  var firstPageIsDamaged: DepotError {
    damaged(["its first page isn't as it was written, and the log hasn't got it"])
  }

  // MARK: Mending

  /// Creates the state file of a store that consists only of its database file.
  func keepState(stamp: UInt32) throws(DepotError) {
    let state = DurableState(stamp: stamp, now: Clocks.wallMilliseconds())
    try StoreFiles(StateFile.path(of: path)).working { () throws(SystemError) in
      try StateFile.set(state, beside: path)
    }
  }

  /// Rewrites the first page, from the log, or with its stamp corrected.
  func repairFirstPage(_ evidence: StoreEvidence) throws(DepotError) {
    guard case .known(let state) = evidence.state else { return }
    try working { () throws(SystemError) in
      let file = try StoredFile(path: path, isWritable: true)
      var page = try Self.firstPage(of: file)
      var stamp = evidence.stamp
      if case .sealed(_, nil, _) = evidence.main, let place = evidence.log.firstPage {
        page = try StoredFile(path: path + "-wal").read(place.count, at: place.lowerBound)
        stamp = state.checkpoint.stamp
      }
      try file.write(DatabaseHeader.sealing(page, stamp: stamp), at: 0)
      try file.flush()
    }
  }

  /// Makes a store that can be opened from the files, and sets the other files aside.
  ///
  /// - Returns: The way to open it.
  func accept(_ loss: StoreEvidence.Loss) throws(DepotError) -> StoreEvidence.Finding {
    try working { () throws(SystemError) in
      if !loss.keepsLog { try setAside(path + "-wal") }
      if loss.file == ".state" { try setAside(StateFile.path(of: path)) }
    }
    let evidence = try evidence()
    switch evidence.main {
    case .missing, .empty, .begun:
      try working { () throws(SystemError) in try setAside(StateFile.path(of: path)) }
      return .none
    case .sealed(_, nil, _): throw firstPageIsDamaged
    case .sealed(let size, .some(let stamp), let isTorn):
      if isTorn { try repairFirstPage(evidence) }
      var state = DurableState(stamp: stamp, now: Clocks.wallMilliseconds())
      state.log = evidence.log.identity
      (state.frames, state.sum) = (UInt32(evidence.log.frames), evidence.log.lastSum)
      state.commits = Int64(evidence.log.commits)
      try working { () throws(SystemError) in
        // Missing pages at the end become damaged pages.
        if case .known(let old) = evidence.state,
          case let known = Int(old.pageCount) * evidence.pageSize, size < known
        {
          _ = try StoredFile(path: path, isWritable: true).extend(to: known)
        }
        try StateFile.set(state, beside: path)
      }
      return .sound
    }
  }

  /// Sets aside a first page that was being written when power failed.
  func setAsideBeginning() throws(DepotError) {
    try working { () throws(SystemError) in
      try setAside(path)
      FileSystem.remove(file: path + "-journal")
    }
  }

  /// Renames a file so that it isn't used as a part of the store any more.
  func setAside(_ file: String) throws(SystemError) {
    guard FileSystem.size(of: file) != nil else { return }
    try FileSystem.renameDurably(file, to: FileSystem.freeName("\(file).lost-"))
  }
}
