internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// The statistics of the service, as `stats` reports them.
extension Server {
  /// Returns the reply to `stats`.
  func report() -> JSONValue {
    let uptime = Double(now - startedAt) / 1e9
    let socket = configuration.socketPath
    return .object([
      "server": .object([
        "name": .string("depotd"), "version": .string(ProtocolVersion.software),
        "instance": .string(instance), "pid": .int64(Int64(Process.identifier)),
        "uptimeSeconds": .double(uptime), "socket": .string(FileSystem.resolved(socket) ?? socket),
        "storePath": .string(configuration.storeName),
      ]),
      "connections": .object([
        "current": .int64(Int64(sessions.count)),
        "total": .int64(Int64(statistics.connectionsTotal)),
        "refused": .int64(Int64(statistics.connectionsRefused)),
        "list": .array(sessions.values.sorted { $0.number < $1.number }.map(describe)),
      ]),
      "calls": statistics.callsJSON,
      "slow": statistics.slowJSON,
      "store": report(of: stores.defaultContainer.hosts[0]),
      "readers": stores.defaultContainer.hosts[0].readers?.statistics.json ?? .null,
      "containers": .array(stores.namedContainers.map(statistics)),
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
            "store": report(of: host),
            "readers": host.readers?.statistics.json ?? .null,
          ])
        }
      ),
    ])
  }

  /// Returns the counters of a store with the sizes of its files, or `null` if it isn't open.
  private func report(of host: StoreHost) -> JSONValue {
    guard case .object(var members)? = host.store?.statistics.json else { return .null }
    let path = host.configuration.path
    members["fileBytes"] = FileSystem.size(of: path).map { .int64(Int64($0)) }
    members["logFileBytes"] = .int64(Int64(FileSystem.size(of: path + "-wal") ?? 0))
    if let cluster = host.configuration.cluster, let state = host.store?.statistics.cluster {
      members["cluster"] = state.json(cluster)
    }
    members["writer"] = writer(of: host)
    let watches = host.live?.statistics
    members["watches"] = .object([
      "current": .int64(Int64(watches?.current ?? 0)),
      "told": .int64(Int64(watches?.notified ?? 0)),
      "lateSeconds": .double(watches?.lateSeconds ?? 0),
      "longestLateSeconds": .double(watches?.longestLateSeconds ?? 0),
    ])
    members["freeDiskBytes"] = FileSystem.freeBytes(at: path).map { .int64(Int64($0)) }
    return .object(members)
  }

  /// Returns the running writes of a store, and the first of the waiting ones.
  private func writer(of host: StoreHost) -> JSONValue {
    guard let survey = host.store?.survey(most: 32) else { return .null }
    var calls: [UInt64: (session: Session, id: Int64, call: RunningCall)] = [:]
    for session in sessions.values where !survey.isEmpty {
      for (id, call) in session.calls {
        for write in call.writes where write.host === host {
          calls[write.token] = (session, id, call)
        }
      }
    }
    func describe(_ write: WriteSurvey.Write) -> JSONValue {
      guard let (session, id, call) = calls[write.token] else {
        // The service itself, or a client that has gone.
        return .object(["op": .string(write.operation.name)])
      }
      guard case .object(var members) = self.describe(id, call) else { return .null }
      members["connection"] = .int64(session.number)
      members["client"] = session.hello.client["name"].map(JSONValue.string)
      members["process"] = session.hello.process.map(JSONValue.string)
      return .object(members)
    }
    func seconds(since time: UInt64?) -> JSONValue {
      .double(time.map { Double(max(now, $0) - $0) / 1e9 } ?? 0)
    }
    var members: [String: JSONValue] = [
      "running": .array(survey.running.map(describe)),
      "queue": .array(survey.waiting.map(describe)),
      "waiting": .int64(Int64(survey.waitingCount)),
      "runningSeconds": seconds(since: survey.running.isEmpty ? nil : survey.since),
    ]
    if let wait = survey.clusterWait {
      members["clusterWaitSeconds"] = seconds(since: wait == 0 ? nil : wait)
    }
    return .object(members)
  }

  private func describe(_ session: Session) -> JSONValue {
    .object([
      "connection": .int64(session.number),
      "pid": .int64(Int64(session.peer.process)),
      "uid": .int64(Int64(session.peer.user)),
      "gid": .int64(Int64(session.peer.group)),
      "role": session.role.map { .string($0.name) } ?? .null,
      "seconds": .double(Double(now - session.openedAt) / 1e9),
      "client": .object(session.hello.client.mapValues(JSONValue.string)),
      "process": session.hello.process.map(JSONValue.string) ?? .null,
      "container": .string(session.hello.container),
      "inFlight": .int64(Int64(session.calls.count)),
      // Only the oldest calls; there may be many.
      "calls": .array(session.calls.sorted { $0.key < $1.key }.prefix(16).map(describe)),
      "outboundBytes": .int64(Int64(session.output.count)),
      "pins": .int64(Int64(session.pins.count)),
      "stagedBytes": .int64(Int64(session.staged.byteCount)),
    ])
  }
}

extension Server {
  /// Returns the facts about a running call.
  private func describe(_ id: Int64, _ call: RunningCall) -> JSONValue {
    .object([
      "id": .int64(id), "op": .string(call.call.pattern.name),
      "entity": call.call.pattern.entity.map(JSONValue.string) ?? .null,
      "seconds": .double(Double(now - min(now, call.startedAt)) / 1e9),
    ])
  }
}

extension AccessPolicy.Role {
  fileprivate var name: String {
    switch self {
    case .owner: "owner"
    case .writer: "writer"
    case .reader: "reader"
    }
  }
}

extension ClusterState {
  fileprivate func json(_ address: ClusterAddress) -> JSONValue {
    .object([
      "address": .string(address.text),
      "safety": .string(safety.summary),
      "reachable": .bool(isReachable),
      "service": .int64(service),
      "commitsSinceBase": .int64(commitsSinceBase),
      "sinceBaseBytes": .int64(Int64(bytesSinceBase)),
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
      "commitMicroseconds": .array(
        commitHistogram.indices.map { .int64(Int64(commitHistogram[$0])) }
      ),
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
