# naik - `make help` lists the targets. What a machine needs said (compilers, HDF5, GPU) goes into
# config.mk; config.mk.example explains every setting.
-include config.mk

MPICC ?= mpicc
OPT   ?= -O2
GPU   ?=
BUILD ?= build/$(or $(GPU),cpu)
JOBS  ?= $(shell nproc 2>/dev/null || echo 2)
prefix ?= $(if $(filter command file,$(origin PREFIX)),$(PREFIX),/usr/local)

# ---- libraries: parallel HDF5 for the MPI that MPICC belongs to, libyaml, zlib
pc = $(shell pkg-config $(1) 2>/dev/null)
mpi_family := $(if $(findstring mpich,$(MPICC) $(shell $(MPICC) -show 2>/dev/null)),mpich,openmpi)
ifndef HDF5_LIBS
  ifdef HDF5_DIR
    HDF5_CFLAGS := -I$(HDF5_DIR)/include
    HDF5_LIBS   := -L$(HDF5_DIR)/lib -Wl,-rpath,$(HDF5_DIR)/lib -lhdf5
  else ifneq ($(call pc,--libs hdf5-$(mpi_family)),)
    HDF5_CFLAGS := $(call pc,--cflags hdf5-$(mpi_family))
    HDF5_LIBS   := $(call pc,--libs hdf5-$(mpi_family))
  else
    h5pcc_words := $(shell $(or $(H5PCC),h5pcc) -show 2>/dev/null)
    HDF5_CFLAGS := $(filter -I% -D%,$(h5pcc_words))
    HDF5_LIBS   := $(or $(filter -L% -l% -Wl% %.a %.so,$(h5pcc_words)),-lhdf5)
  endif
endif
ifndef YAML_LIBS
  YAML_CFLAGS := $(call pc,--cflags yaml-0.1)
  YAML_LIBS   := $(or $(call pc,--libs yaml-0.1),-lyaml)
endif

# ---- what is compiled: the library is everything but main; gpu/ replaces the stub
LIB_SRC := $(filter-out src/cli/main.c,$(wildcard src/*/*.c src/*/*/*.c io/*.c io/*/*.c))
GPU_SRC :=
# The Dslash kernels of the GPU, once a pair of precisions: of vectors, and of links where another
PAIRS := double single single_half half half_single
PAIR_double      := -DVECTORS=vec_double -DLINKS=double
PAIR_single      := -DVECTORS=vec_single -DLINKS=float
PAIR_single_half := -DVECTORS=vec_single -DLINKS=short
PAIR_half        := -DVECTORS=vec_half -DLINKS=short
PAIR_half_single := -DVECTORS=vec_half -DLINKS=float
GPU_LEAVES := dslash_kernels wilson_kernels
ifdef GPU
  GPU_SRC := $(filter-out $(GPU_LEAVES:%=gpu/dslash/%.cu),$(wildcard gpu/*.cu gpu/*/*.cu))
  GPU_LEAF_OBJ := $(foreach leaf,$(GPU_LEAVES),$(PAIRS:%=$(BUILD)/gpu/dslash/$(leaf).%.o))
  # and what Open MPI is asked whether it takes device memory
  GPU_DEFINE := -DNAIK_GPU $(if $(filter cuda,$(GPU)),-DNAIK_MPI_QUERY=MPIX_Query_cuda_support)
endif
# The leaf kernels of the CPU, once an instruction set; the program chooses when it starts.
KERNELS := scalar portable
ifneq ($(filter x86_64%,$(shell $(MPICC) -dumpmachine 2>/dev/null)),)
  KERNELS += scalar_fma avx2 avx512
endif
LEAVES  := kernels wilson multigrid
LIB_SRC := $(filter-out $(LEAVES:%=src/backend/cpu/%.c),$(LIB_SRC))
LEAF_OBJ := $(foreach leaf,$(LEAVES),$(KERNELS:%=$(BUILD)/src/backend/cpu/$(leaf).%.o))
# What takes longest begins first.
GPU_OBJ := $(GPU_LEAF_OBJ) $(GPU_SRC:%.cu=$(BUILD)/%.o)
LIB_OBJ := $(GPU_LEAF_OBJ) $(LEAF_OBJ) $(filter-out $(GPU_LEAF_OBJ),$(GPU_OBJ)) $(LIB_SRC:%.c=$(BUILD)/%.o)
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c))
TEST_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/test_% tests/lsan.c,$(wildcard tests/*.c)))
HEADERS := $(wildcard include/naik/*.h)
FUZZ_NAMES := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZERS := $(FUZZ_NAMES:%=$(BUILD)/tests/fuzz/fuzz_%)
REPLAYS := $(FUZZ_NAMES:%=$(BUILD)/tests/fuzz/replay_%)

# ---- flags. Contraction stays off everywhere: results must not depend on what a compiler fuses.
# One set of objects serves the program and libnaik.so: the leaf kernels have the same instructions with
# -fPIC as without, and other loops as many, so long as no other library may replace naik's functions.
PIC    := -fPIC -fno-semantic-interposition
WARN   := -Wall -Wextra -Wmissing-prototypes -Wno-unknown-pragmas
# A function takes little of a stack: threads of Python and of an MPI's progress may have 224 kB of it.
# Blocks of the leaf kernels and shadows of sanitizers are larger.
FRAME  := $(if $(findstring -fsanitize,$(EXTRA_CFLAGS)),,-Wframe-larger-than=32768)
LEAF_FRAME := $(FRAME:%32768=%65536)
# sqrt is one instruction, of vectors too, where it need not set errno.
CFLAGS := -std=c17 -D_GNU_SOURCE $(OPT) -ffp-contract=off -fno-math-errno -fopenmp $(PIC) $(WARN) $(WERROR) \
          -Iinclude -Isrc -I. $(GPU_DEFINE) $(HDF5_CFLAGS) $(YAML_CFLAGS) $(EXTRA_CFLAGS)
LIBS   := $(HDF5_LIBS) $(YAML_LIBS) -lz -lm $(EXTRA_LIBS)
DEPS    = -MMD -MP

ifeq ($(GPU),cuda)
  GPU_ARCH  ?= sm_80
  NVCC      ?= $(or $(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc),nvcc)
  # nvcc itself says where its toolkit is: what is found on PATH may be a script or a link
  ifndef CUDA_DIR
    CUDA_DIR := $(or $(shell $(NVCC) -x cu --dryrun -c -o /dev/null /dev/null 2>&1 | \
                  sed -n 's/^\#\$$ TOP=//p'),$(patsubst %/bin/nvcc,%,$(NVCC)))
  endif
  ifeq ($(filter sm_8% sm_9% sm_1%,$(GPU_ARCH)),)
    $(error GPU_ARCH=$(GPU_ARCH) is not known: use sm_80 or newer, for example sm_90)
  endif
  GPU_CC    := $(NVCC) -x cu -std=c++17 -O3 -arch=$(GPU_ARCH) -fmad=false \
               $(if $(filter sm_8%,$(GPU_ARCH)),-DGPU_SM_8X) -Xcompiler -fPIC \
               $(if $(WERROR),-Werror all-warnings)
  GPU_LIBS  ?= -L$(CUDA_DIR)/lib64 -L$(CUDA_DIR)/lib -lcudart_static -ldl -lrt -lpthread -lstdc++
else ifeq ($(GPU),hip)
  GPU_ARCH  ?= gfx90a
  HIPCC     ?= hipcc
  GPU_CC    := $(HIPCC) -x hip -std=c++17 -O3 --offload-arch=$(GPU_ARCH) -ffp-contract=off -fPIC $(WERROR)
  GPU_LIBS  ?= $(addprefix -L,$(wildcard $(ROCM_PATH)/lib)) -lamdhip64 -lstdc++
else ifneq ($(GPU),)
  $(error GPU=$(GPU) is not known: use GPU=cuda, GPU=hip or leave it out)
endif

# ---- targets; V=1 shows the commands
Q := $(if $(V),,@)
all: $(BUILD)/naik
	@$(if $(filter build/%,$(BUILD)),ln -sfn $(BUILD:build/%=%)/naik build/naik)
lib: $(BUILD)/libnaik.a
python: $(BUILD)/libnaik.so
	@$(if $(filter build/%,$(BUILD)),ln -sfn $(BUILD:build/%=%)/libnaik.so build/libnaik.so)
NEEDS_GPU = @test -n '$(GPU)' || { echo 'say which GPU: make GPU=cuda GPU_ARCH=sm_90 $@'; exit 1; }
gpu-objects: $(GPU_OBJ)
tests: $(TESTS) $(REPLAYS) $(BUILD)/tests/quark/naik

$(BUILD)/naik: $(BUILD)/src/cli/main.o $(BUILD)/libnaik.a
	@echo "link    $@"
	$(Q)$(MPICC) $(OPT) -fopenmp $(EXTRA_CFLAGS) -o $@ $^ $(LIBS) $(GPU_LIBS)

$(BUILD)/libnaik.a: $(LIB_OBJ)
	@rm -f $@
	$(Q)ar qcs $@ $^

# For Python and other programs that load it: what include/naik declares is seen from outside, and all
# naik's own calls stay inside.
$(BUILD)/libnaik.so: $(LIB_OBJ)
	@echo "link    $@"
	$(Q)$(MPICC) $(OPT) -fopenmp $(EXTRA_CFLAGS) -shared -Wl,-Bsymbolic -o $@ $^ $(LIBS) $(GPU_LIBS)

$(BUILD)/tests/test_%: $(BUILD)/tests/test_%.o $(TEST_OBJ) $(BUILD)/libnaik.a
	@echo "link    $@"
	$(Q)$(MPICC) $(OPT) -fopenmp $(EXTRA_CFLAGS) -o $@ $^ $(LIBS) $(GPU_LIBS)

# The program with a list of quarks of its own in place of src/operator/known_quarks.c
$(BUILD)/tests/quark/naik: $(BUILD)/src/cli/main.o $(BUILD)/tests/quark/hop_quark.o $(BUILD)/libnaik.a
	@echo "link    $@"
	$(Q)$(MPICC) $(OPT) -fopenmp $(EXTRA_CFLAGS) -o $@ $^ $(LIBS) $(GPU_LIBS)

# An MPI that takes device memory, made of one that does not; preloaded into tests
shim: $(if $(GPU),$(BUILD)/tests/shim/mpi_device_shim.so)
	$(NEEDS_GPU)
$(BUILD)/tests/shim/mpi_device_shim.so: tests/shim/mpi_device_shim.c tests/shim/device_memory.cu \
    tests/shim/device_memory.h gpu/gpu.h $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "link    $@"
	$(Q)$(GPU_CC) $(if $(filter hip,$(GPU)),,-Xcompiler) -fPIC -I. -c -o $(@D)/device_memory.o \
	    tests/shim/device_memory.cu
	$(Q)$(MPICC) $(filter-out -MMD -MP,$(CFLAGS)) -fPIC -shared -o $@ \
	    tests/shim/mpi_device_shim.c $(@D)/device_memory.o $(GPU_LIBS)

# Targets of the fuzzer: with a plain main that replays files, and with libFuzzer (make fuzz)
$(BUILD)/tests/fuzz/replay_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/fuzz.o \
    $(BUILD)/tests/fuzz/replay.o $(BUILD)/libnaik.a
	@echo "link    $@"
	$(Q)$(MPICC) $(OPT) -fopenmp $(EXTRA_CFLAGS) -o $@ $^ $(LIBS) $(GPU_LIBS)
$(BUILD)/tests/fuzz/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/fuzz.o \
    $(BUILD)/tests/lsan.o $(BUILD)/libnaik.a
	@echo "link    $@"
	$(Q)$(MPICC) $(OPT) -fopenmp $(EXTRA_CFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)
fuzzers: $(FUZZERS)
# No parser reaches the leaf kernels, which take minutes to compile with sanitizers: they go without.
fuzz:
	@OMPI_CC='clang' MPICH_CC='clang' $(MAKE) $(PARALLEL) \
	    --no-print-directory fuzzers BUILD=build/fuzz GPU= KERNEL_FLAGS=-fno-sanitize=all OPT='-O1 -g' EXTRA_CFLAGS='-fno-omit-frame-pointer -fno-sanitize-recover=undefined \
	    -Wno-pass-failed \
	    -fsanitize=fuzzer-no-link,address,undefined'

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "compile $<"
	$(Q)$(MPICC) $(CFLAGS) $(if $(filter tests/%,$<),,$(FRAME)) $(DEPS) -c -o $@ $<

KERNEL_scalar     := -DLANES=1
KERNEL_scalar_fma := -DLANES=1 -mfma
# Half of GCC's time for plain arrays goes into looking far back for stores to them; clang has no
# such option.
LOOK_BACK       := --param sccvn-max-alias-queries-per-access=50
KERNEL_portable := -DLANES=16 $(shell $(MPICC) -Werror $(LOOK_BACK) -c -x c /dev/null \
                     -o /dev/null 2>/dev/null && echo $(LOOK_BACK))
KERNEL_avx2     := -DLANES=16 -DNAIK_AVX2 -mavx2 -mfma
KERNEL_avx512   := -DLANES=16 -DNAIK_AVX512 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma \
                   -mprefer-vector-width=512
define LEAF
$(KERNELS:%=$(BUILD)/src/backend/cpu/$(1).%.o): $(BUILD)/src/backend/cpu/$(1).%.o: src/backend/cpu/$(1).c \
        $(BUILD)/flags $(BUILD)/flags.%
	@mkdir -p $$(@D)
	@echo "compile $$< ($$*)"
	$$(Q)$$(MPICC) $$(CFLAGS) $$(LEAF_FRAME) -O3 -DNAIK_KERNELS=$$* $$(KERNEL_$$*) $$(KERNEL_FLAGS) $$(DEPS) -c -o $$@ $$<
endef
$(foreach leaf,$(LEAVES),$(eval $(call LEAF,$(leaf))))

GPU_COMPILE = $(GPU_CC) "-DNAIK_HD=__host__ __device__" -Iinclude -Isrc -I. $(GPU_FLAGS) $(DEPS)
$(BUILD)/gpu/%.o: gpu/%.cu $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "compile $<"
	$(Q)$(GPU_COMPILE) -c -o $@ $<
define GPU_LEAF
$(PAIRS:%=$(BUILD)/gpu/dslash/$(1).%.o): $(BUILD)/gpu/dslash/$(1).%.o: gpu/dslash/$(1).cu $(BUILD)/flags
	@mkdir -p $$(@D)
	@echo "compile $$< ($$*)"
	$$(Q)$$(GPU_COMPILE) $$(PAIR_$$*) -c -o $$@ $$<
endef
$(foreach leaf,$(GPU_LEAVES),$(eval $(call GPU_LEAF,$(leaf))))

# The commit is compiled into one object only, so that a new commit rebuilds one file.
$(BUILD)/src/base/version.o: $(BUILD)/git
$(BUILD)/src/base/version.o: private CFLAGS += -DNAIK_GIT='"$(GIT)"'
# In what `make dist` packs, RELEASE says it.
GIT := $(shell cat RELEASE 2>/dev/null || git describe --always --dirty --abbrev=10 2>/dev/null || echo unknown)
VERSION := $(shell sed -n 's/.*NAIK_VERSION "\(.*\)"/\1/p' include/naik/version.h)

# Files that change only when the text in them does: new flags rebuild everything.
$(BUILD)/flags: TEXT = $(MPICC) $(CFLAGS) $(KERNEL_FLAGS) $(GPU_CC) $(GPU_FLAGS) $(LIBS) $(GPU_LIBS)$(if $(GPU), $(foreach pair,$(PAIRS),$(PAIR_$(pair))))
$(BUILD)/git: TEXT = $(GIT)
$(KERNELS:%=$(BUILD)/flags.%): TEXT = $(KERNEL_$(@:$(BUILD)/flags.%=%))
$(BUILD)/flags $(BUILD)/git $(KERNELS:%=$(BUILD)/flags.%): always
	@mkdir -p $(@D)
	@echo '$(TEXT)' | cmp -s - $@ || echo '$(TEXT)' > $@

# The two commands of a newcomer, and the long tests. Each installs what is missing first.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))
PASS_ON  = MPICC='$(MPICC)' BUILD='$(BUILD)' MAKE='$(MAKE)'
demo:
	@MPICC='$(MPICC)' tools/install-deps.sh
	@$(MAKE) $(PARALLEL) --no-print-directory all
	@$(PASS_ON) tools/demo.sh
check:
	@MPICC='$(MPICC)' tools/install-deps.sh
	@$(MAKE) $(PARALLEL) --no-print-directory all python tests
	@$(PASS_ON) tests/run
check-long:
	@MPICC='$(MPICC)' tools/install-deps.sh
	@$(MAKE) $(PARALLEL) --no-print-directory all python tests
	@$(PASS_ON) tests/run --long

# Slips that the tests must notice, one at a time in copies of the sources: those without a fresh verdict
mutants:
	@tests/mutants/run -j $(JOBS)

# Needs GPUs; MPIRUN, RANKS, EXCHANGES and SUMMARY: tests/check_gpu.sh
check-gpu:
	$(NEEDS_GPU)
	@$(MAKE) $(PARALLEL) --no-print-directory all python tests shim
	@$(PASS_ON) tests/check_gpu.sh

# What a user reads, in the folders of the sources, so that links between pages hold
PAGES := $(wildcard *.md LICENSE CITATION.cff doc/*.* doc/pictures/* inputs/* jobscripts/*.* \
           jobscripts/machines/* examples/* include/*.md packaging/*.md python/*.md python/naik/*.md tests/results/*)
PAGES_DIR = $(DESTDIR)$(prefix)/share/doc/naik

install: all python
	install -d $(DESTDIR)$(prefix)/bin $(DESTDIR)$(prefix)/lib/pkgconfig \
	    $(DESTDIR)$(prefix)/include/naik $(DESTDIR)$(prefix)/share/man/man1 \
	    $(DESTDIR)$(prefix)/share/naik/python/naik
	install -m 755 $(BUILD)/naik $(DESTDIR)$(prefix)/bin
	install -m 644 $(BUILD)/libnaik.a $(DESTDIR)$(prefix)/lib
	install -m 755 $(BUILD)/libnaik.so $(DESTDIR)$(prefix)/lib
	install -m 644 $(HEADERS) $(DESTDIR)$(prefix)/include/naik
	sed 's|/usr/local/share|$(prefix)/share|' doc/naik.1 > $(DESTDIR)$(prefix)/share/man/man1/naik.1
	install -d $(sort $(dir $(PAGES:%=$(PAGES_DIR)/%)))
	@$(foreach page,$(PAGES),install -m $(if $(filter %.sh,$(page)),755,644) $(page) $(PAGES_DIR)/$(page) &&) true
	ln -sf $(patsubst python/%,../../../naik/python/%,$(wildcard python/*.py)) $(PAGES_DIR)/python
	install -m 644 $(wildcard python/*.py) python/pyproject.toml $(DESTDIR)$(prefix)/share/naik/python
	install -m 644 $(wildcard python/naik/*.py) $(DESTDIR)$(prefix)/share/naik/python/naik
	@printf '%s\n' 'prefix=$(prefix)' 'Name: naik' 'Description: staggered, Wilson, clover and twisted-mass quark propagators' \
	    'Version: $(VERSION)' \
	    'Cflags: -I$${prefix}/include' \
	    'Libs: $${prefix}/lib/libnaik.a -fopenmp $(LIBS) $(GPU_LIBS)' \
	    > $(DESTDIR)$(prefix)/lib/pkgconfig/naik.pc

uninstall:
	rm -f $(addprefix $(DESTDIR)$(prefix)/,bin/naik lib/libnaik.a lib/libnaik.so lib/pkgconfig/naik.pc \
	    share/man/man1/naik.1)
	rm -rf $(DESTDIR)$(prefix)/include/naik $(DESTDIR)$(prefix)/share/naik $(PAGES_DIR)

# The files of the last commit, and which commit that is; the same bytes whenever and wherever it is made
DIST := naik-$(VERSION)
dist:
	@rm -rf build/dist && mkdir -p build/dist
	@git archive --prefix=$(DIST)/ HEAD | tar -xf - -C build/dist
	@git describe --always --abbrev=10 HEAD > build/dist/$(DIST)/RELEASE
	@tar --sort=name --mtime="@$$(git log -1 --format=%ct)" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
	    -C build/dist -cf - $(DIST) | gzip -n9 > build/$(DIST).tar.gz
	@rm -rf build/dist
	@git diff --quiet HEAD || echo "what is not committed is not in it"
	@echo "wrote build/$(DIST).tar.gz"

# The parts of doc/ that repeat the program
doc: all
	@tools/doc.py $(BUILD)/naik doc
	@tools/folder_tables.py

# The pictures of the pages, from tests/results; REPORT=PAGE.html: also the one of that page of naik report
pictures: all
	@. tools/env.sh; $$(find_python matplotlib || echo python3) tools/pictures.py $(BUILD)/naik doc/pictures $(if $(REPORT),--report $(REPORT))

format:
	clang-format -i $(wildcard $(foreach folder,include/naik src/* src/*/* io io/* gpu gpu/* tests tests/* examples,$(foreach kind,c h inc cu cuh,$(folder)/*.$(kind))))

# What the compiler does not see; .clang-tidy has the checks. The leaf kernels are macros for most of it.
TIDY ?= clang-tidy
TIDY_FLAGS = $(patsubst -I/%,-isystem /%,$(filter-out -W%,$(CFLAGS)) $(filter -I%,$(shell $(MPICC) -show)))
tidy:
	@printf '%s\n' $(LIB_SRC) src/cli/main.c | xargs -P $(JOBS) -n 1 sh -c \
	    '$(TIDY) --quiet "$$0" -- $(TIDY_FLAGS)' 2>/dev/null

clean:
	rm -rf build

help:
	@sed 's/^    //' tools/make-help.txt

.PHONY: all lib python gpu-objects tests shim demo check check-long check-gpu fuzz fuzzers install uninstall dist doc pictures format tidy clean help always mutants
.SECONDARY:
-include $(wildcard $(BUILD)/*/*.d $(BUILD)/*/*/*.d $(BUILD)/*/*/*/*.d)
