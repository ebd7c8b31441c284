/// Log lines go to stderr, one per event. Callers format with fmt; this door stays light.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::log {

enum class Level { Debug, Info, Warn, Error, Off };

/// Lines below `level` are dropped; Off drops all. Default: Info.
void set_level(Level level);
void write(Level level, std::string_view message);

inline void debug(std::string_view message) { write(Level::Debug, message); }
inline void info(std::string_view message) { write(Level::Info, message); }
inline void warn(std::string_view message) { write(Level::Warn, message); }
inline void error(std::string_view message) { write(Level::Error, message); }

}  // namespace holdfast::log
