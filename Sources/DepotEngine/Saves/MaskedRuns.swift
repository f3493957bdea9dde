internal import DepotProtocol

/// The update plans for the rows of one batch, including plans that write only some columns.
@Memberwise("whole", "writer")
struct MaskedRuns {
  /// The plan for rows that are changed as requested.
  let whole: UpdateRun
  private let writer: EntityWriter
  private var masked: [[Int]: UpdateRun] = [:]

  /// Returns the plan for a row; `nil` if the row isn't changed.
  mutating func run(_ action: ConflictResolution.Action) throws -> UpdateRun? {
    switch action {
    case .proceed, .overwrite: return whole
    case .drop, .recreate, .refuse: return nil
    case .write(let positions):
      if let run = masked[positions] { return run }
      let run = try writer.updateRun(whole.plan.masked(to: positions))
      masked[positions] = run
      return run
    }
  }
}
