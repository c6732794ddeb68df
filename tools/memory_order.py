#!/usr/bin/env python3
"""Whether a HIP build keeps the order of memory between GPUs that gpu/order.h asks for.

    make GPU=hip GPU_ARCH=gfx90a && tools/memory_order.py build/hip/gpu/*/*.o

Compilers differ in what they wait for at a barrier, so this looks at the instructions, from the
marks that GPU_MARK has left:
  sent      what this thread has stored into another GPU must have arrived (vmcnt(0)) before the
            block's barrier and before its block is counted; no cache is written back or invalidated
            for that
  counted   the flags come behind
  polled    between two looks at a flag: the loop invalidates no cache and pauses; behind it caches
            are invalidated before the block's barrier
and wherever the second-level cache is written back, nothing is stored before that has ended.
Prints a line a file and one a violation; exit status 1 if there is one, or if no file has marks.
"""
import sys

sys.dont_write_bytecode = True
import code_object  # noqa: E402

WRITES_BACK = ("buffer_wbl2",)
INVALIDATES = ("buffer_inv", "buffer_wbinvl1", "buffer_gl")


def waits(kernel, i):
    _, name, operands = kernel.code[i]
    return name == "s_waitcnt" and "vmcnt(0)" in operands


def stores(name):
    return name.startswith(("global_store", "flat_store", "global_atomic", "flat_atomic"))


def walk(kernel, begin, visit):
    """Follows every path from instruction `begin` on. visit(i) says whether to stop there."""
    seen, todo = set(), [begin]
    while todo:
        i = todo.pop()
        if i is None:
            raise code_object.Missing("a jump that cannot be followed")
        if i in seen or visit(i):
            seen.add(i)
            continue
        seen.add(i)
        todo += kernel.next_of(i)
    return seen


def after_sent(kernel, begin):
    problems = set()

    def arrived(i):
        name = kernel.code[i][1]
        if waits(kernel, i):
            return True
        if name == "s_barrier" or (i != begin and "counted" in kernel.marks.get(i, [])):
            problems.add("what was sent need not have arrived at the block's barrier or count")
            return True
        return False

    def cheap(i):
        if i != begin and "counted" in kernel.marks.get(i, []):
            return True
        if kernel.code[i][1].startswith(WRITES_BACK + INVALIDATES):
            problems.add("caches are written back or invalidated once a block that sends")
            return True
        return False

    walk(kernel, begin, arrived)
    walk(kernel, begin, cheap)
    return problems


def loop_of(kernel, i):
    """Instructions from which i is reached and which are reached from i."""
    ahead = walk(kernel, i, lambda _: False)
    before = {}
    for j in ahead:
        for k in kernel.next_of(j):
            before.setdefault(k, []).append(j)
    loop, todo = set(), [i]
    while todo:
        j = todo.pop()
        for k in before.get(j, []):
            if k not in loop:
                loop.add(k)
                todo.append(k)
    return loop


def after_polled(kernel, begin):
    problems = set()
    loop = loop_of(kernel, begin)
    names = [kernel.code[i][1] for i in loop]
    if not loop:
        return {"a flag is not looked at in a loop"}
    if any(name.startswith(WRITES_BACK + INVALIDATES) for name in names):
        problems.add("every look at a flag invalidates caches")
    if not any(name == "s_sleep" for name in names):
        problems.add("no pause between two looks at a flag")

    def acquired(i):
        name = kernel.code[i][1]
        if name == "s_barrier":
            problems.add("no cache is invalidated between the flag and the block's barrier")
        return name == "s_barrier" or name.startswith("buffer_wbinvl1")

    for i in loop:
        for k in kernel.next_of(i):
            if k not in loop:
                walk(kernel, k, acquired)
    return problems


def after_write_back(kernel, begin):
    problems = set()

    def ended(i):
        if waits(kernel, i):
            return True
        if stores(kernel.code[i][1]):
            problems.add("something is stored before the cache has been written back")
            return True
        return False

    walk(kernel, begin + 1, ended)
    return problems


def violations(kernel):
    problems = set()
    for i, marks in kernel.marks.items():
        if "sent" in marks:
            problems |= after_sent(kernel, i)
        if "polled" in marks:
            problems |= after_polled(kernel, i)
    for i, (_, name, _) in enumerate(kernel.code):
        if name.startswith(WRITES_BACK):
            problems |= after_write_back(kernel, i)
    return problems


def main():
    bad, marks, files = 0, 0, 0
    for path in sys.argv[1:]:
        try:
            for kernel in code_object.kernels(path):
                marks += len(kernel.marks)
                for problem in sorted(violations(kernel)):
                    print(f"{path}: {code_object.plain(kernel.name)}: {problem}")
                    bad += 1
            files += 1
        except code_object.Missing as missing:
            if "no code" not in str(missing):
                print(f"{path}: {missing}")
                bad += 1
    print(f"{files} files with code for AMD, {marks} marks, {bad} violations of the order of memory")
    return 1 if bad or not marks else 0


if __name__ == "__main__":
    sys.exit(main())
