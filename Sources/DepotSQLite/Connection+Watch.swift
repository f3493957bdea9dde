internal import CDepotSQLite

/// A check that a connection runs repeatedly while its statements run.
package final class ProgressCheck {
  /// Returns whether the running statement must end, with SQLITE_INTERRUPT.
  package var mustStop: () -> Bool

  package init(_ mustStop: @escaping () -> Bool) {
    self.mustStop = mustStop
  }
}

extension Connection {
  /// Runs `check` about every `interval` instructions of SQLite's virtual machine.
  ///
  /// The corresponding C function is `sqlite3_progress_handler`.
  package func watch(every interval: Int, _ check: ProgressCheck) {
    var check = check
    if let work = lastingWork {
      let asked = check
      check = ProgressCheck {
        work()
        return asked.mustStop()
      }
    }
    watcher = check
    sqlite3_progress_handler(
      handle,
      Int32(interval),
      { user in
        guard let user else { return 0 }
        let check = Unmanaged<ProgressCheck>.fromOpaque(user).takeUnretainedValue()
        return check.mustStop() ? 1 : 0
      },
      Unmanaged.passUnretained(check).toOpaque()
    )
  }

  /// Removes the check.
  package func unwatch() {
    sqlite3_progress_handler(handle, 0, nil, nil)
    watcher = nil
    if let lastingWork { work(lastingWork) }
  }

  /// Runs `body` repeatedly while statements run, also while there is a check.
  package func work(_ body: @escaping () -> Void) {
    lastingWork = nil
    watch(
      every: 100_000,
      ProgressCheck {
        body()
        return false
      }
    )
    lastingWork = body
  }

  /// Whether the running statement must end.
  ///
  /// Slow functions ask, because SQLite doesn't interrupt a function.
  package var mustStop: Bool { watcher?.mustStop() ?? false }

  /// Frees unneeded memory.
  ///
  /// The corresponding C functions are `sqlite3_db_release_memory`, and `malloc_trim`, since freed
  /// pages in the middle of the heap would otherwise stay allocated to the process.
  package func releaseMemory() {
    sqlite3_db_release_memory(handle)
    malloc_trim(0)
  }
}
