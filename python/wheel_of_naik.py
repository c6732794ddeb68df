"""Builds the wheel of the package naik for pip, with nothing but the standard library: it needs no network."""
import base64
import glob
import hashlib
import os
import re
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..")


def _version():
    """As include/naik/version.h says, in naik's folder or under the prefix where `make install` put it."""
    for up in (TOP, os.path.join(TOP, "..", "..")):
        header = os.path.join(up, "include", "naik", "version.h")
        if os.path.exists(header):
            with open(header, encoding="utf-8") as f:
                return re.search(r'NAIK_VERSION "([^"]+)"', f.read()).group(1)
    return "0"


def _library():
    """Where libnaik.so is now; "" where it is not there yet."""
    for name in (os.environ.get("NAIK_LIBRARY", ""), os.path.join(TOP, "build", "libnaik.so"),
                 os.path.join(TOP, "..", "..", "lib", "libnaik.so")):
        if name and os.path.exists(name):
            return os.path.abspath(name)
    return os.path.abspath(os.path.join(TOP, "build", "libnaik.so"))


def _metadata(version):
    """What pip and package indices show of the package; the README of this folder is its description."""
    words = {"Metadata-Version": "2.1", "Name": "naik", "Version": version,
             "Summary": "Quark propagators on stored lattice-QCD configurations, as numpy arrays",
             "Author": "The naik authors", "License": "BSD-3-Clause",
             "Keywords": "lattice QCD,quark propagators,staggered fermions,HISQ,Wilson fermions,clover fermions,GPU",
             "Requires-Python": ">=3.8", "Requires-Dist": "numpy", "Description-Content-Type": "text/markdown"}
    lines = [f"{key}: {value}" for key, value in words.items()]
    lines += [f"Classifier: {one}" for one in (
        "Intended Audience :: Science/Research", "License :: OSI Approved :: BSD License", "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3", "Topic :: Scientific/Engineering :: Physics")]
    for extra, needed in (("io", "h5py"), ("mpi", "mpi4py")):
        lines += [f"Provides-Extra: {extra}", f'Requires-Dist: {needed}; extra == "{extra}"']
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as f:
        return "\n".join(lines) + "\n\n" + f.read()


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """For pip install -e: the wheel names this folder, whose files Python then imports as they are."""
    return build_wheel(wheel_directory, editable=True)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None, editable=False):
    version = _version()
    info, records = f"naik-{version}.dist-info", []
    name = f"naik-{version}-py3-none-any.whl"
    files = {"naik_io.py": os.path.join(HERE, "naik_io.py")}
    files.update({f"naik/{os.path.basename(p)}": p for p in sorted(glob.glob(os.path.join(HERE, "naik", "*.py")))})
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        def put(path, text):
            data = text.encode()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            wheel.writestr(path, data)
            records.append(f"{path},sha256={digest},{len(data)}")

        if editable:
            put("naik.pth", HERE + "\n")
        for path, source in ({} if editable else files).items():
            with open(source, encoding="utf-8") as f:
                put(path, f.read())
        if not editable:
            put("naik/where.py", '"""Where libnaik.so was when the package was installed, and the version of the package."""\n'
                f"LIBRARY = {_library()!r}\nVERSION = {version!r}\n")
        put(f"{info}/METADATA", _metadata(version))
        put(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: wheel_of_naik\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "\n".join([*records, f"{info}/RECORD,,"]) + "\n")
    return name
