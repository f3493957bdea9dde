package import DepotProtocol

extension Store {
  package static func check(path: String) throws(DepotError) -> [String] { [] }
}
