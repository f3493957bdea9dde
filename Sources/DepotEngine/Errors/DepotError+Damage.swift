internal import DepotProtocol
internal import DepotSQLite

extension DepotError {
  /// The error for a damaged page.
  static func damaged(_ error: SQLiteError) -> DepotError {
    guard let page = error.damage else {
      return DepotError(.corrupt, "A page of the store is damaged.").hint(advice)
    }
    return DepotError(.corrupt, page.description).hint(page.isInLog ? adviceOfLog : advice)
      .details(of: page)
  }

  /// Returns the error with the place of the damage.
  private func details(of page: DamagedPage) -> DepotError {
    let error = detail("page", Int64(page.number))
    guard let owner = page.owner, owner.kind != .none else { return error }
    let entity = owner.entity
    return error.detail("table", owner.table)
      .detail("index", owner.kind == .index ? owner.name : nil).detail("entity", entity)
      .detail("first", entity.flatMap { name in owner.firstRow.map { "\(name)/\($0)" } })
      .detail("last", entity.flatMap { name in owner.lastRow.map { "\(name)/\($0)" } })
  }

  private static let adviceOfLog = """
    Everything else can be read, but nothing is stored any more: a start would find nothing of it. Restore a \
    backup, or export what there is.
    """
  private static let advice =
    "Everything else can be read. Restore a backup, or ask depotd --check for all that is damaged."
}

extension DamagedPage {
  /// Names the damaged rows, as in "Page 12 of the store is damaged: rows Item/5 to Item/64.".
  var description: String {
    let place = isInLog ? " in its log" : ""
    return
      "Page \(number) of the store is damaged\(place)\(owner.map { ": \($0.description)" } ?? "")."
  }
}

extension PageOwner {
  /// The entity whose rows the table has; `nil` for another table.
  fileprivate var entity: String? { table.hasPrefix("e_") ? String(table.dropFirst(2)) : nil }

  /// The first identifier that may be in the page; `nil` if it is unknown.
  fileprivate var firstRow: Int64? {
    kind == .table ? rows.flatMap { $0.lowerBound == .min ? nil : $0.lowerBound } : nil
  }

  fileprivate var lastRow: Int64? {
    kind == .table ? rows.flatMap { $0.upperBound == .max ? nil : $0.upperBound } : nil
  }

  fileprivate var description: String {
    switch kind {
    case .none: "it holds nothing now"
    case .index: "an index of \(tableDescription) (\(name))"
    case .table: entity.map(rowsDescription) ?? tableDescription
    }
  }

  private func rowsDescription(_ entity: String) -> String {
    switch (firstRow, lastRow) {
    case (let first?, let last?) where first == last: "row \(entity)/\(first)"
    case (let first?, let last?): "rows \(entity)/\(first) to \(entity)/\(last)"
    case (let first?, nil): "rows of \(entity) from \(entity)/\(first) on"
    case (nil, let last?): "rows of \(entity) up to \(entity)/\(last)"
    case (nil, nil): "the rows of \(entity)"
    }
  }

  private var tableDescription: String {
    if let entity { return entity }
    if table.hasPrefix("j_") { return "the links \(table.dropFirst(2))" }
    return switch table {
    case "sqlite_schema": "the list of tables"
    case "depot_history", "depot_history_row", "depot_history_insert": "the history"
    case "depot_schema": "the versions of the schema"
    case "depot_outcome": "the answers to repeated calls"
    default: "the table \(table)"
    }
  }
}
