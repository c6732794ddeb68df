# package.py - naik for Spack (packaging/README.md says how to use it)
import os

from spack.package import *

try:  # Spack 1.0 has its build systems beside its packages
    from spack_repo.builtin.build_systems.cuda import CudaPackage
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
    from spack_repo.builtin.build_systems.rocm import ROCmPackage
except ImportError:  # before, spack.package has them
    pass


class Naik(MakefilePackage, CudaPackage, ROCmPackage):
    """Quark propagators on stored lattice-QCD gauge configurations: Wilson, clover, naive, asqtad and HISQ
    actions, mixed-precision conjugate gradient on CPUs and GPUs, HDF5 output."""

    # The tarball of `make dist`, in the folder in which spack is called.
    url = "file://{0}/naik-0.6.0.tar.gz".format(os.getcwd())
    license("BSD-3-Clause")

    version("main")  # spack develop --path CHECKOUT naik@main
    version("0.6.0")  # spack install --no-checksum naik@0.6.0

    conflicts("+cuda", when="+rocm", msg="one build is for one vendor's GPUs")
    conflicts("cuda_arch=none", when="+cuda", msg="say which GPU: cuda_arch=80")
    conflicts("amdgpu_target=none", when="+rocm", msg="say which GPU: amdgpu_target=gfx90a")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cxx", type="build", when="+rocm")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("hdf5@1.10:+mpi")
    depends_on("libyaml")
    depends_on("zlib-api")
    depends_on("cuda@12:", when="+cuda")
    depends_on("hip@5.2:", when="+rocm")

    def settings(self, spec, prefix):
        """What `make` is told; Spack's compiler wrapper adds the flags of the processor."""
        libraries = {"HDF5": spec["hdf5"], "YAML": spec["libyaml"]}
        words = ["MPICC=" + spec["mpi"].mpicc, "OPT=-O2", "prefix=" + str(prefix)]
        for name, library in libraries.items():
            words.append("{0}_CFLAGS={1}".format(name, library.headers.include_flags))
            words.append("{0}_LIBS={1}".format(name, library.libs.ld_flags))  # the wrapper adds rpaths
        words.append("EXTRA_CFLAGS=" + spec["zlib-api"].headers.include_flags)
        words.append("EXTRA_LIBS=" + spec["zlib-api"].libs.ld_flags)
        if spec.satisfies("+cuda"):
            words += ["GPU=cuda", "GPU_ARCH=sm_" + spec.variants["cuda_arch"].value[0],
                      "CUDA_DIR=" + str(spec["cuda"].prefix), "NVCC=" + str(spec["cuda"].prefix.bin.nvcc)]
        elif spec.satisfies("+rocm"):
            words += ["GPU=hip", "GPU_ARCH=" + spec.variants["amdgpu_target"].value[0],
                      "HIPCC=" + str(spec["hip"].prefix.bin.hipcc)]
        return words

    def build(self, spec, prefix):
        make(*self.settings(spec, prefix))

    def install(self, spec, prefix):
        make("install", *self.settings(spec, prefix))

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def program_says_its_version(self):
        Executable(self.prefix.bin.naik)("--version")
