# The commands of the house. Each is one script or one CMake preset, and can be run on its own on a fresh Debian 12.
PREFIX ?= /usr/local

.PHONY: demo build test conformance install sim campaign bench fuzz tidy tsan clean

demo:         ## make demo [STORY=NAME]: sets up, builds, tells a story; alone: a database is backed up, lost, brought back
	@tools/demo $(STORY)

build:        ## build/release/holdfast
	@tools/build release holdfast

test:         ## sets up, builds, runs every test that needs only Debian packages
	@tools/test

conformance:  ## the suites against real peers
	@tools/conformance

install: build  ## the usual DESTDIR and PREFIX
	install -D -m 0755 build/release/holdfast "$(DESTDIR)$(PREFIX)/bin/holdfast"

sim:          ## make sim [SCENARIO=NAME [SEED=N [FAULTS=FILE]]] [ARGS=--minimise]: the simulation, exhaustive
	@tools/sim "$(SCENARIO)" "$(SEED)" "$(FAULTS)" -- $(ARGS)

campaign:     ## make campaign NAME=kill COUNT=100: a long fault campaign
	@tools/campaign "$(NAME)" $(COUNT)

bench:        ## make bench NAME=apiserver: one benchmark beside its peers
	@tools/bench "$(NAME)" $(ARGUMENTS)

fuzz:         ## make fuzz NAME=json SECONDS=60: one fuzz target with its corpus
	@tools/fuzz "$(NAME)" $(SECONDS)

tidy:         ## format and clang-tidy of what changed
	@tools/lint

tsan:         ## the thread-sanitised tests
	@tools/build tsan && tools/run_tests tsan

clean:
	rm -rf build
