import Foundation

exit(Demo.run())
