#include <holdfast/net/http.h>
