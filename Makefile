# demo · test · bench · check: what a newcomer types. Everything each needs it installs.
CARGO ?= cargo
BENCH = $(CARGO) run --quiet --release --package netsig-bench --

# bench-sim: the simulator's speed; bench-plogpt: two all-to-alls in the lab beside PlogPT;
# bench-accuracy: every model on process counts that it was not fitted to.
.PHONY: demo test bench bench-sim bench-plogpt bench-accuracy check netsig openmpi mpich system

demo: netsig openmpi
	target/release/netsig demo

test: openmpi
	$(CARGO) build
	$(CARGO) test --workspace --exclude netsig-mpi
	MPICC=mpicc.openmpi $(CARGO) test --package netsig-mpi --target-dir target/openmpi
	MPICC=mpicc.mpich $(CARGO) test --package netsig-mpi --target-dir target/mpich

bench: netsig openmpi
	$(BENCH) speed

bench-sim: netsig
	$(BENCH) simulator

bench-plogpt: netsig openmpi
	$(BENCH) plogpt

bench-accuracy: netsig openmpi
	$(BENCH) accuracy

check:
	bash .ci/run

# The command line with the shim that the lab preloads.
netsig: system
	$(CARGO) build --release

# The rank program, once for each MPI: their interfaces differ in binary form.
openmpi mpich: system
	MPICC=mpicc.$@ $(CARGO) build --release --package netsig-mpi --target-dir target/$@

system:
	bash xtask/install-system-packages
