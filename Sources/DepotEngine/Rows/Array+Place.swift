extension Array {
  /// Returns the place of the first element that isn't one of those that come first, of which
  /// `isBefore` tells.
  @inline(__always)
  func place(after isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
