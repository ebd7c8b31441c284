"""The house rules. A rule is a function from a Tree to (path, line, rule name, message) tuples."""
