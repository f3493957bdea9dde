internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// The state of a store's files before they are opened.
struct StoreEvidence {
  /// The store's file.
  enum Main: Equatable {
    case missing
    /// It has no bytes, as one that is about to become a store.
    case empty
    /// It has a part of the first page, which was being written when power failed, before the first commit.
    case begun
    /// It has `size` bytes, and the stamp of a checkpoint; `nil` if its first page is damaged. The page is torn if
    /// only the stamp isn't as it was written, because power failed while it was.
    case sealed(size: Int, stamp: UInt32?, isTorn: Bool = false)
  }

  /// The state that is known outside of the other files.
  enum State: Equatable {
    case missing
    case damaged
    case known(DurableState)
  }

  var main: Main
  /// Whether there is a log, be it an empty one.
  var hasLog: Bool
  var log: LogSurvey
  var state: State
}

extension StoreEvidence {
  /// The next thing to be done with a store.
  enum Finding: Equatable {
    /// Make one.
    case none
    /// Open it.
    case sound
    /// Open it once its first page was taken from the log.
    case firstPageIsInLog
    /// Open it once its first page has its stamp.
    case firstPageIsTorn
    /// Open it, and begin to keep its state: it is complete by itself, as a copy of a store is.
    case unknown
    /// Touch nothing: the first page is damaged, and nothing else has it.
    case damaged
    /// Touch nothing: something is gone.
    case loss(Loss)
  }

  /// Something of a store that was there and isn't any more.
  struct Loss: Equatable {
    /// The trouble, in words that follow the name of the file that it is about.
    var reason: String
    /// The suffix of that file's name.
    var file: String
    /// How many commits are missing at most; `nil` if nobody can know.
    var commits: Int64?
    /// Since when they are missing, in milliseconds since 1970; `nil` if nobody can know.
    var since: Int64?
    /// Whether the log still goes with the file.
    var keepsLog = false
  }

  /// Returns the way to treat the store.
  var finding: Finding {
    switch state {
    case .known(let state) where state.commits > 0 || main.hasStamp(of: state):
      return finding(state)
    // Before the first commit there is nothing to be lost.
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
    // A store that was closed, and whose files are all gone, was removed by somebody who wanted that.
    case .missing where !hasLog && state.isClosed: return .none
    case .missing, .empty, .begun:
      return .loss(state.loss(main.absence, since: nil))
    case .sealed(let size, let stamp, let isTorn):
      let last = state.checkpoint
      // The file may have got more pages later, but the log has those too.
      if stamp == last.stamp || stamp == nil, size < Int(state.pageCount) * 4096 {
        let missing = Int(state.pageCount) * 4096 - size
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

  /// The file isn't the one of the last checkpoint.
  private func loss(ofFileWith stamp: UInt32, _ state: DurableState) -> Loss {
    if let older = state.checkpoints.first(where: { $0.stamp == stamp }) {
      return state.loss("is an older copy", since: older)
    }
    let reason = stamp == 0 ? "is another file, as of a backup" : "is another file, or very old"
    return state.loss(reason, since: nil)
  }

  /// Returns the loss if the log doesn't match the last commit.
  ///
  /// It is `nil` if the log matches, or if the file has all of its commits.
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
    // The state may be older than the log, which has more commits then.
    if log.frames >= state.frames, log.sum == state.sum { return log.lostCommits.map(lossInLog) }
    var loss = state.loss(logAbsence, of: "-wal", since: last)
    if state.copiedFrames == 0 { loss.commits = loss.commits.map { $0 - Int64(log.commits) } }
    loss.keepsLog = true
    return loss
  }

  /// How many commits lie beyond damage of a log that has more than the state knows of; `nil` if none does.
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
  /// Describes the loss of everything after a checkpoint, or of the whole store.
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
