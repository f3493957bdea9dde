extension ProtocolDocument {
  /// The end of the operations, and the errors of all of them.
  static let commonErrors = #"""
      ],
      "commonErrors": [
        "request.unknown_op", "request.unknown_member", "request.missing_member", "request.type",
        "request.number_range", "request.usage", "limit.in_flight", "deadline.passed",
        "cancelled.by_client", "permission.op", "unavailable.draining", "unavailable.busy",
        "unavailable.readonly", "storage.full", "storage.io", "storage.corrupt", "internal.bug",
        "notfound.container", "unavailable.migrating"
      ]
    """#
}
