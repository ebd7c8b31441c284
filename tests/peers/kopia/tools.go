//go:build tools

// Names the program that tests/peers/get builds, so that go.mod and go.sum pin all it needs.
package kopiabuild

import _ "github.com/kopia/kopia"
