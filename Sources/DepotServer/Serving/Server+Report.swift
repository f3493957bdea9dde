internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

extension Server {
  /// Returns what `stats` answers.
  func report() -> JSONValue {
    let uptime = Double(now - startedAt) / 1e9
    let socket = configuration.socketPath
    return .object([
      "server": .object([
        "name": .string("depotd"), "version": .string(ProtocolVersion.software),
        "instance": .string(instance), "pid": .int64(Int64(Process.identifier)),
        "uptimeSeconds": .double(uptime), "socket": .string(FileSystem.resolved(socket) ?? socket),
        "storePath": .string(storePath),
      ]),
      "connections": .object([
        "current": .int64(Int64(sessions.count)),
        "total": .int64(Int64(statistics.connectionsTotal)),
        "refused": .int64(Int64(statistics.connectionsRefused)),
        "list": .array(sessions.values.sorted { $0.number < $1.number }.map(describe)),
      ]),
      "calls": statistics.callsJSON,
      "slow": statistics.slowJSON,
      "store": defaultContainer.hosts[0].store?.statistics.json ?? .null,
      "readers": defaultContainer.hosts[0].readers?.statistics.json ?? .null,
      "containers": .array(namedContainers.map(statistics)),
      "memory": .object(["residentBytes": .int64(Int64(Process.residentBytes))]),
    ])
  }

  private func statistics(of container: Container) -> JSONValue {
    .object([
      "name": .string(container.name),
      "users": .int64(Int64(container.users.count)),
      "stores": .array(
        container.hosts.map { host in
          .object([
            "name": .string(host.name),
            "store": host.store?.statistics.json ?? .null,
            "readers": host.readers?.statistics.json ?? .null,
          ])
        }
      ),
    ])
  }

  private func describe(_ session: Session) -> JSONValue {
    .object([
      "connection": .int64(session.number),
      "pid": .int64(Int64(session.peer.process)),
      "uid": .int64(Int64(session.peer.user)),
      "client": .object(session.client.mapValues(JSONValue.string)),
      "inFlight": .int64(Int64(session.calls.count)),
      "outboundBytes": .int64(Int64(session.output.count)),
      "pins": .int64(Int64(session.pins.count)),
      "stagedBytes": .int64(Int64(session.staged.byteCount)),
    ])
  }
}

extension StoreStatistics {
  fileprivate var json: JSONValue {
    .object([
      "commits": .int64(Int64(commits)),
      "writes": .int64(Int64(writes)),
      "failedWrites": .int64(Int64(failedWrites)),
      "repeatedWrites": .int64(Int64(repeatedWrites)),
      "rowsInserted": .int64(Int64(rowsInserted)),
      "rowsUpdated": .int64(Int64(rowsUpdated)),
      "rowsDeleted": .int64(Int64(rowsDeleted)),
      "checkpoints": .int64(Int64(checkpoints)),
      "incompleteCheckpoints": .int64(Int64(incompleteCheckpoints)),
      "walBytes": .int64(Int64(walBytes)),
      "lastBatch": .int64(Int64(lastBatch)),
      "largestBatch": .int64(Int64(largestBatch)),
      "commitSeconds": .double(Double(commitNanoseconds) / 1e9),
      "commitMicroseconds": .array(commitHistogram.map { .int64(Int64($0)) }),
    ])
  }
}

extension ReaderPool.Statistics {
  fileprivate var json: JSONValue {
    .object([
      "active": .int64(Int64(active)),
      "parked": .int64(Int64(parked)),
      "waiting": .int64(Int64(waiting)),
      "started": .int64(Int64(started)),
      "rows": .int64(Int64(rows)),
      "pins": .int64(Int64(pins)),
      "pinned": .int64(Int64(pinned)),
      "expiredPins": .int64(Int64(expiredPins)),
    ])
  }
}
