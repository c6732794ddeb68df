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


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
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

        for path, source in files.items():
            with open(source, encoding="utf-8") as f:
                put(path, f.read())
        put("naik/where.py", '"""Where libnaik.so was when the package was installed, and the version of the package."""\n'
            f"LIBRARY = {_library()!r}\nVERSION = {version!r}\n")
        put(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: naik\nVersion: {version}\n"
            "Summary: quark propagators on stored lattice-QCD configurations\nRequires-Python: >=3.8\nRequires-Dist: numpy\n"
            "Provides-Extra: io\nRequires-Dist: h5py; extra == \"io\"\nProvides-Extra: mpi\n"
            "Requires-Dist: mpi4py; extra == \"mpi\"\n")
        put(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: wheel_of_naik\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "\n".join([*records, f"{info}/RECORD,,"]) + "\n")
    return name
