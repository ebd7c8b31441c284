#include <holdfast/drivers/drivers.h>

namespace holdfast::drivers {

std::vector<model::Value> definitions() { return {}; }

}  // namespace holdfast::drivers
