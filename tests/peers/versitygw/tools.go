//go:build tools

// Names the program that tests/peers/get builds, so that go.mod and go.sum pin all it needs.
package versitygwbuild

import _ "github.com/versity/versitygw/cmd/versitygw"
