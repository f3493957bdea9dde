/// The outcome of an import, in words and as an exit status.
enum ImportSummary {
  /// Reports the outcome of an import of one entity, or of all, and ends with its status.
  static func end(
    _ outcome: Importer.Outcome,
    of entity: String?,
    _ meter: ProgressMeter,
    _ session: CommandSession
  ) throws {
    meter.finish()
    session.say(text(outcome, of: entity, seconds: meter.seconds))
    try ExitStatus.end(with: outcome.exitStatus)
  }

  /// Returns a sentence about imported records, with the reasons for omissions.
  ///
  /// It is about one entity, or about all if `entity` is `nil`.
  static func text(_ outcome: Importer.Outcome, of entity: String?, seconds: Double) -> String {
    let related = outcome.related.filter { $0.value > 0 }.sorted { $0.key < $1.key }
    var parts = ["\(Numbers.grouped(outcome.inserted)) inserted"]
    let others = [
      (outcome.updated, "updated"), (outcome.skipped, "skipped"), (outcome.rejected, "rejected"),
      (outcome.unlinked + outcome.ignoring, "without all their links"),
    ]
    parts += others.filter { $0.0 > 0 }.map { "\(Numbers.grouped($0.0)) \($0.1)" }
    if !related.isEmpty {
      let others = related.map { "\(Numbers.counted($0.value, "row")) of \($0.key)" }
      parts.append("and with them \(others.joined(separator: ", "))")
    }
    let name = related.isEmpty ? "" : entity.map { " of \($0)" } ?? ""
    let sentence =
      "\(Numbers.counted(outcome.rows, "row"))\(name): \(parts.joined(separator: ", "))"
      + " in \(Numbers.span(seconds: seconds))"
    guard let reason = outcome.firstReason else { return sentence }
    return sentence + "\nThe first that was rejected: \(reason)"
  }
}
