#include <holdfast/model/field_error.h>
