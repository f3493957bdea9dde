extension [Link] {
  /// The objects by their classes, in the order in which the first of each class came.
  var byClass: [[Link]] {
    guard let first else { return [] }
    if allSatisfy({ $0.storage.description === first.storage.description }) { return [self] }
    var positions: [ObjectIdentifier: Int] = [:]
    var groups: [[Link]] = []
    for link in self {
      let key = ObjectIdentifier(link.storage.description)
      if let position = positions[key] {
        groups[position].append(link)
      } else {
        positions[key] = groups.count
        groups.append([link])
      }
    }
    return groups
  }
}
