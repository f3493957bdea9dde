/// The waiting jobs of an executor, the most urgent first, then in order of arrival.
struct JobQueue: ~Copyable {
  /// The jobs that wait, by priority; the priorities fall.
  private var lines: [Line] = []

  private struct Line {
    let priority: UInt8
    /// The jobs; the ones before `first` have run.
    var jobs: [UnownedJob]
    var first = 0
  }

  /// How many jobs wait.
  var count: Int { lines.reduce(0) { $0 + $1.jobs.count - $1.first } }

  /// Adds a job.
  mutating func append(_ job: UnownedJob, priority: UInt8) {
    let index = lines.firstIndex { $0.priority <= priority } ?? lines.count
    if index < lines.count, lines[index].priority == priority {
      lines[index].jobs.append(job)
    } else {
      lines.insert(Line(priority: priority, jobs: [job]), at: index)
    }
  }

  /// Removes the next job and returns it.
  mutating func popFirst() -> UnownedJob? {
    guard let line = lines.first else { return nil }
    let job = line.jobs[line.first]
    lines[0].first += 1
    if lines[0].first == line.jobs.count { lines.removeFirst() }
    return job
  }
}
