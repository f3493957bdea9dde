internal import DepotProtocol

/// A save that was sent and has an unknown outcome.
@Memberwise("encoding", "sent")
struct UnconfirmedSave {
  let encoding: SaveEncoding
  var sent: SentChanges
  let key = WriteKey()
}
