internal import DepotProtocol

extension Server {
  /// Stages a part of a save, or drops the parts.
  func stage(_ request: StageRequest, _ call: Call, _ session: Session) {
    do throws(DepotError) {
      var (parts, rows) = (0, 0)
      switch request.content {
      case .discard: session.staged.discard(request.save)
      case .part(let part):
        let all = sessions.values.reduce(0) { $0 + $1.staged.byteCount }
        (parts, rows) = try session.staged.add(
          part,
          to: request.save,
          others: all - session.staged.byteCount
        )
      }
      answer(call, session) { writer in
        writer.object { writer in
          writer.member("parts", parts)
          writer.member("rows", rows)
        }
      }
    } catch {
      fail(call, session, error)
    }
  }

  /// Adds the staged parts of a save to its call.
  ///
  /// - Throws: ``DepotError`` `notfound.staged` if the staged parts don't match the call.
  func join(_ call: inout Call, _ session: Session) throws(DepotError) {
    guard case .save(let request) = call.pattern, request.staged != nil else { return }
    let before = session.staged.byteCount
    call.operation = .save(try session.staged.join(request))
    session.state.add(bytes: before - session.staged.byteCount, to: call.id)
  }
}
