import DepotClient
import DepotProtocol

/// A row of the entity Package: the catalogue's entry of one package.
@DTO("Package")
struct DebianPackage {
  var id: Identifier<DebianPackage>?
  var name: String
  var version: String
  var installedSize: Int?
  var isEssential: Bool
}
