"""AMD code out of the object files of a HIP build: its kernels, instructions and what they use.

    for kernel in code_object.kernels("build/hip/gpu/halo/exchange.o"): ...

Needs llvm-objdump and llvm-readelf of any LLVM from 15 on.
"""
import glob
import re
import struct
import subprocess
import tempfile

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"


class Missing(Exception):
    """A tool, or device code, that is not there; the text says which."""


def tool(name):
    """The newest llvm-objdump, ... that is installed."""
    found = glob.glob(f"/usr/bin/{name}-[0-9]*") + glob.glob(f"/usr/lib/llvm-*/bin/{name}")
    found.sort(key=lambda path: int(re.search(r"-(\d+)", path.replace(name, "")).group(1)))
    if found:
        return found[-1]
    for path in (f"/usr/bin/{name}", f"/opt/rocm/llvm/bin/{name}"):
        if glob.glob(path):
            return path
    raise Missing(f"{name} is not installed")


def code_objects(path):
    """The ELF files of all AMD GPUs that an object file holds."""
    with open(path, "rb") as file:
        data = file.read()
    begin = data.find(MAGIC)
    while begin >= 0:
        count, = struct.unpack_from("<Q", data, begin + len(MAGIC))
        at = begin + len(MAGIC) + 8
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", data, at)
            target = data[at + 24:at + 24 + length].decode()
            at += 24 + length
            if "amdgcn" in target and size > 0:
                yield data[begin + offset:begin + offset + size]
        begin = data.find(MAGIC, at)


class Kernel:
    """name: as mangled; code: [(address, mnemonic, operands)]; words: the first 32 bits of each;
    marks: {index in code: [names]}; used: numbers of the metadata (vgpr_count, private_segment_fixed_size, ...)."""

    def __init__(self, name):
        self.name = name
        self.code = []
        self.words = []
        self.marks = {}
        self.used = {}

    def next_of(self, i):
        """Indices of the instructions that may follow number i; None among them: unknown."""
        address, name, _ = self.code[i]
        if name.startswith("s_endpgm"):
            return []
        if name.startswith(("s_setpc", "s_swappc", "s_call")):
            return [None]
        if name != "s_branch" and not name.startswith("s_cbranch"):
            return [i + 1] if i + 1 < len(self.code) else []
        jump = self.words[i] & 0xffff
        jump -= 65536 if jump > 32767 else 0
        there = self.index.get(address + 4 + 4 * jump)
        return [there] if name == "s_branch" else [there, i + 1]

    def close(self):
        self.index = {address: i for i, (address, _, _) in enumerate(self.code)}


def _numbers(elf):
    """{kernel: {key: number}} from the metadata."""
    text = subprocess.run([tool("llvm-readelf"), "--notes", elf], capture_output=True, text=True,
                          check=True).stdout
    found, current, entry = {}, {}, None
    for line in text.splitlines():
        # a kernel is an entry of the list amdhsa.kernels; those of its arguments lie deeper
        if re.match(r"  - \.", line):
            entry = current = {}
        match = re.match(r"  (?:  |- )\.(\w+):\s+(\S+)", line)
        if match is None or entry is None:
            continue
        key, value = match.groups()
        if key == "name":
            found[value.strip("'\"")] = current
        elif value.isdigit():
            current[key] = int(value)
    return found


def _disassembled(elf):
    lines = subprocess.Popen([tool("llvm-objdump"), "-d", "--mcpu=gfx90a", elf],
                             stdout=subprocess.PIPE, text=True).stdout
    kernel = None
    for line in lines:
        label = re.match(r"[0-9a-f]+ <(\w+)>:", line)
        if label and label.group(1).startswith("naik_"):
            if kernel is not None:
                mark = re.sub(r"_\d+$", "", label.group(1)[5:])
                kernel.marks.setdefault(len(kernel.code), []).append(mark)
        elif label:
            if kernel is not None:
                yield kernel
            kernel = Kernel(label.group(1))
        else:
            match = re.match(r"\s+(\w+)\s*(.*?)\s*// ([0-9A-F]+): ([0-9A-F]+)", line)
            if match and kernel is not None:
                kernel.code.append((int(match.group(3), 16), match.group(1), match.group(2)))
                kernel.words.append(int(match.group(4), 16))
    if kernel is not None:
        yield kernel


def kernels(path):
    """The kernels of an object file; Missing where it has none for AMD."""
    any_code = False
    for code in code_objects(path):
        any_code = True
        with tempfile.NamedTemporaryFile(suffix=".elf") as elf:
            elf.write(code)
            elf.flush()
            numbers = _numbers(elf.name)
            for kernel in _disassembled(elf.name):
                if kernel.name in numbers:
                    kernel.used = numbers[kernel.name]
                    kernel.close()
                    yield kernel
    if not any_code:
        raise Missing(f"{path} holds no code for an AMD GPU")


def plain(name):
    """The name as it is written in the source."""
    try:
        return subprocess.run(["c++filt", name], capture_output=True, text=True,
                              check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return name
