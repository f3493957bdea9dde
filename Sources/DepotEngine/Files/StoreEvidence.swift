internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// The state of a store's files before they are opened.
struct StoreEvidence {
  /// The state of the database file.
  enum Main: Equatable {
    case missing
    /// It is empty, like a file that is about to become a store.
    case empty
    /// It has a part of the first page, after a power failure before the first commit.
    case begun
    /// It has `size` bytes, and the stamp of a checkpoint, or `nil` if its first page is damaged.
    ///
    /// The page is torn if only the stamp is wrong, because power failed while it was written.
    case sealed(size: Int, stamp: UInt32?, isTorn: Bool = false)
  }

  /// The state file's content.
  enum State: Equatable {
    case missing
    case damaged
    case known(DurableState)
  }

  var main: Main
  /// Whether there is a log, even an empty one.
  var hasLog: Bool
  var log: WALSurvey
  var state: State
  /// The size of a page in bytes, as the file or its log says.
  var pageSize: Int
}

extension StoreEvidence {
  /// The way to open a store.
  enum Finding: Equatable {
    /// Create it.
    case none
    /// Open it.
    case sound
    /// Copy the first page from the log, and open it.
    case firstPageIsInLog
    /// Correct the stamp in the first page, and open it.
    case firstPageIsTorn
    /// Open it and create its state file: it is complete without a log, as a copy of a store is.
    case unknown
    /// Don't open it: the first page is damaged, and the log doesn't have it.
    case damaged
    /// Don't open it: a part is lost.
    case loss(Loss)
  }

  /// A part of a store that is lost.
  struct Loss: Equatable {
    /// The problem, in words that follow the name of the file.
    var reason: String
    /// The suffix of that file's name.
    var file: String
    /// The number of commits that are missing at most; `nil` if it is unknown.
    var commits: Int64?
    /// The time since which they are missing, in milliseconds since 1970; `nil` if it is unknown.
    var since: Int64?
    /// Whether the log still matches the file.
    var keepsLog = false
  }

  /// The way to open the store.
  var finding: Finding {
    switch state {
    case .known(let state) where state.commits > 0 || main.hasStamp(of: state):
      return finding(state)
    // Before the first commit nothing can be lost.
    case .known, .missing: return findingWithoutState(.missing)
    case .damaged: return findingWithoutState(.damaged)
    }
  }

  /// The stamp of the file; 0 if it has none.
  var stamp: UInt32 {
    guard case .sealed(_, let stamp?, _) = main else { return 0 }
    return stamp
  }

  private func findingWithoutState(_ state: State) -> Finding {
    switch main {
    case .missing, .empty, .begun:
      guard log.commits == 0 else {
        return .loss(Loss(reason: main.absence + ", but it has a log", file: ""))
      }
      return .none
    case .sealed(_, nil, _): return .damaged
    case .sealed(_, let stamp?, _)
    where DurableState.isClosed(stamp) && state == .missing && log.commits == 0:
      return .unknown
    case .sealed:
      let reason = state == .missing ? "is missing" : "isn't as it was written"
      return .loss(
        Loss(
          reason: reason + ", so that nobody can know whether the store is complete",
          file: ".state",
          keepsLog: true
        )
      )
    }
  }

  private func finding(_ state: DurableState) -> Finding {
    switch main {
    // If a closed store and all its files are missing, it was removed intentionally.
    case .missing where !hasLog && state.isClosed: return .none
    case .missing, .empty, .begun:
      return .loss(state.loss(main.absence, since: nil))
    case .sealed(let size, let stamp, let isTorn):
      let last = state.checkpoint
      // The file may have grown since, but the log has those pages too.
      let missing = Int(state.pageCount) * pageSize - size
      if stamp == last.stamp || stamp == nil, missing > 0 {
        var loss = state.loss("was cut: \(missing) bytes are missing", since: nil)
        loss.keepsLog = lossOfLog(state) == nil
        return .loss(loss)
      }
      if let stamp, stamp != last.stamp, stamp != state.nextStamp {
        return .loss(loss(ofFileWith: stamp, state))
      }
      if let loss = lossOfLog(state) { return .loss(loss) }
      guard stamp == nil else { return isTorn ? .firstPageIsTorn : .sound }
      return log.firstPage == nil ? .damaged : .firstPageIsInLog
    }
  }

  /// Returns the loss if the file isn't the one of the last checkpoint.
  private func loss(ofFileWith stamp: UInt32, _ state: DurableState) -> Loss {
    if let older = state.checkpoints.first(where: { $0.stamp == stamp }) {
      return state.loss("is an older copy", since: older)
    }
    let reason = stamp == 0 ? "is another file, as of a backup" : "is another file, or very old"
    return state.loss(reason, since: nil)
  }

  /// Returns the loss if the log doesn't match the last commit.
  ///
  /// It is `nil` if the log matches, or if the file has all commits of the log.
  private func lossOfLog(_ state: DurableState) -> Loss? {
    let last = state.checkpoint
    let isKnown = log.identity == state.log || log.identity == state.nextLog
    if state.isCopied {
      if let lost = lostAfterCopy(state) { return lossInLog(lost) }
      guard log.commits > 0, !isKnown else { return nil }
      return Loss(reason: "is another store's, or an old one", file: "-wal", commits: 0)
    }
    guard log.identity == state.log else {
      let reason = hasLog && log.identity != 0 ? "is another one, or an old one" : logAbsence
      return state.loss(reason, of: "-wal", since: last)
    }
    // The log may have more commits than the state, which is written later.
    if log.frames >= state.frames, log.sum == state.sum { return log.lostCommits.map(lossInLog) }
    var loss = state.loss(logAbsence, of: "-wal", since: last)
    if state.copiedFrames == 0 { loss.commits = loss.commits.map { $0 - Int64(log.commits) } }
    loss.keepsLog = true
    return loss
  }

  /// The number of commits after damage in a log newer than the state; `nil` if there are none.
  private func lostAfterCopy(_ state: DurableState) -> Int? {
    switch log.frameIdentity {
    case 0: nil
    case state.log: log.newLostCommits
    case state.nextLog: log.lostCommits
    default: nil
    }
  }

  private func lossInLog(_ commits: Int) -> Loss {
    Loss(
      reason: logAbsence,
      file: "-wal",
      commits: Int64(commits),
      keepsLog: log.identity != 0
    )
  }

  private var logAbsence: String {
    if !hasLog { return "is missing" }
    if log.lostCommits != nil { return "is damaged, and commits lie beyond the damage" }
    return log.identity == 0 ? "is empty, or its beginning is damaged" : "was cut, or is an old one"
  }
}

extension StoreEvidence.Main {
  fileprivate var absence: String { self == .missing ? "is missing" : "is empty" }

  fileprivate func hasStamp(of state: DurableState) -> Bool {
    guard case .sealed(_, .some(let stamp), _) = self, stamp != 0 else { return false }
    return stamp == state.checkpoint.stamp || stamp == state.nextStamp
  }
}

extension DurableState {
  /// Makes the loss of everything after a checkpoint, or of the whole store.
  fileprivate func loss(
    _ reason: String,
    of file: String = "",
    since checkpoint: Checkpoint?
  ) -> StoreEvidence.Loss {
    StoreEvidence.Loss(
      reason: reason,
      file: file,
      commits: commits - (checkpoint?.commits ?? 0),
      since: checkpoint?.time
    )
  }
}
