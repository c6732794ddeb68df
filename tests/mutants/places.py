"""Where a switch stands: the places of a source at which a slip could be, and the source with a switch at each.

Debian's python3-clang reads the sources. A place in the arguments of a macro has none, because libclang knows it by the
macro alone; nor has the head of a loop under `#pragma omp for`, a statement under a pragma, or what must be a constant.
"""
import glob
import re

from clang import cindex

K = cindex.CursorKind
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+"}
STATEMENTS = (K.CALL_EXPR, K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.UNARY_OPERATOR)
CALL = re.compile(rb"NAIK_(TRY|PASS)\(")  # macros that are statements
NOTHING_GOES_WRONG = re.compile(r"free|naik_free|va_|memset|\(void\)")  # where such a statement is gone
CONSTANT = (K.ENUM_DECL, K.STRUCT_DECL, K.UNION_DECL, K.TYPEDEF_DECL)
# What a pragma holds for begins behind its lines, other pragmas and comments.
PRAGMA = re.compile(rb"^[ \t]*#pragma omp ((?:[^\n]*\\\n)*[^\n]*)\n(?:\s+|//[^\n]*\n|/\*.*?\*/|#pragma[^\n]*\n)*", re.M | re.S)
# The kernels are .inc files of macros, and compiled once for each instruction set.
KERNELS = {f"src/backend/cpu/{name}.c" for name in ("kernels", "wilson", "multigrid")}


def sources(prefixes=()):
    """The files of this folder that get switches: all of src and io, or those that begin with one of these texts."""
    names = set(glob.glob("src/**/*.c", recursive=True) + glob.glob("io/**/*.c", recursive=True)) - KERNELS
    return sorted(name for name in names if name.startswith(tuple(prefixes) or ""))


def own_headers():
    """Where Debian has the headers of the compiler that belongs to libclang (package libclang-common-N-dev)."""
    version = re.search(r"\d+", cindex.conf.get_filename()) or [""]
    return [f"-isystem{path}" for path in glob.glob(f"/usr/lib/llvm-{version[0]}/lib/clang/*/include")]


class Source:
    """A file with its places; `places` grows by them, and the number of a place is its number there, from 1. The compiler
    is given `arguments`."""

    def __init__(self, path, arguments, places):
        self.path, self.places, self.function, self.inserts = path, places, None, []
        with open(path, "rb") as f:
            self.raw = f.read()
        unit = cindex.Index.create().parse(path, args=arguments, options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        for told in unit.diagnostics:
            if told.severity >= cindex.Diagnostic.Error:
                raise ValueError(f"{path}: {told}")
        here = [c for c in unit.cursor.get_children() if c.location.file and c.location.file.name == path]
        self.macros = [self.span(c) for c in here if c.kind == K.MACRO_INSTANTIATION]
        # For each statement under a pragma, how many loops' heads belong to the pragma.
        self.loops = {m.end(): int((re.search(rb"collapse\((\d+)\)", m[1]) or [0, 1])[1]) for m in PRAGMA.finditer(self.raw)}
        for c in here:
            if c.kind == K.FUNCTION_DECL and c.is_definition():
                self.function = c.spelling
                self.visit(list(c.get_children())[-1], 0)

    def text(self):
        """The source with its switches."""
        parts, at = [b'#include "tests/mutants/switch.h"\n#line 1\n'], 0
        for offset, _, text in sorted(self.inserts, key=lambda insert: insert[:2]):
            parts += [self.raw[at:offset], text.encode()]
            at = offset
        return b"".join(parts + [self.raw[at:]])

    @staticmethod
    def span(cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def said(self, begin, end):
        return self.raw[begin:end].decode()

    def number(self, kind, cursor, text):
        """The number of a new place."""
        self.places.append({"file": self.path, "line": cursor.extent.start.line, "function": self.function, "kind": kind,
                            "text": " ".join(text.split())[:160]})
        return len(self.places)

    def wrap(self, span, before, after, depth):
        """Text around a piece of source. Where pieces begin or end together, the deeper one is inside."""
        self.inserts += [(span[0], (1, depth), before), (span[1], (0, -depth), after)]

    def never(self, kind, cursor, depth):
        span = self.span(cursor)
        n = self.number(kind, cursor, self.said(*span))
        self.wrap(span, f"(naik_slip({n}) ? 0 : (", "))", depth)

    def visit(self, c, depth, is_operand=False):
        """The places at a node of the tree and below it; is_operand: of an operator or a call."""
        begin, end = self.span(c)
        is_builtin = c.kind == K.CALL_EXPR and c.spelling.startswith("__builtin_")
        if c.kind in CONSTANT or is_builtin or any(first <= begin and end <= last for first, last in self.macros):
            return
        children = list(c.get_children())
        if c.kind == K.FOR_STMT and self.loops.get(begin):
            body = children[-1]
            inner = next((x for x in body.get_children() if x.kind == K.FOR_STMT), None) if body.kind == K.COMPOUND_STMT else body
            if self.loops[begin] > 1 and inner:
                self.loops[self.span(inner)[0]] = self.loops[begin] - 1
            children = [body]
        elif c.kind == K.CASE_STMT:
            children = children[1:]
        elif c.kind == K.COMPOUND_LITERAL_EXPR:
            children = children[-1:]
        elif c.kind == K.VAR_DECL:
            is_array = "[" in c.type.spelling  # whose length is one of the children
            children = [] if c.storage_class == cindex.StorageClass.STATIC else \
                [x for x in children if not is_array or x.kind == K.INIT_LIST_EXPR]
        elif c.kind == K.BINARY_OPERATOR and len(children) == 2:
            self.operator(c, children, depth)
        elif c.kind == K.IF_STMT:
            self.never("if never", children[0], depth + 0.2)
        elif c.kind == K.CONDITIONAL_OPERATOR and self.span(children[0])[1] < self.span(children[1])[0]:
            self.never("? never", children[0], depth + 0.2)
        elif c.kind == K.COMPOUND_STMT:
            for x in children:
                self.statement(x, depth)
        elif c.kind == K.INTEGER_LITERAL and is_operand and re.fullmatch(r"\d+", self.said(begin, end)):
            n = self.number("number", c, self.said(begin, end))
            self.wrap((begin, end), f"(naik_slip({n}) ? {int(self.said(begin, end)) + 1} : ", ")", depth)
        below = c.kind in (K.BINARY_OPERATOR, K.CALL_EXPR, K.COMPOUND_ASSIGNMENT_OPERATOR) or \
            is_operand and c.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR)
        for x in children:
            self.visit(x, depth + 1, below)

    def operator(self, c, operands, depth):
        """A comparison, a sum or a difference becomes the other one; an operand of && or || says nothing."""
        spans = [self.span(x) for x in operands]
        sign = self.said(spans[0][1], spans[1][0]).strip()
        whole = spans[0][0], spans[1][1]
        if whole != self.span(c):
            return
        is_pointer = any("*" in x.type.get_canonical().spelling or "[" in x.type.get_canonical().spelling for x in operands)
        if sign in OTHER and not (sign in "+-" and is_pointer):
            n = self.number("operator " + sign, c, self.said(*whole))
            other = f"{self.said(*spans[0])} {OTHER[sign]} {self.said(*spans[1])}"
            self.wrap(whole, f"(naik_slip({n}) ? ({other}) : (", "))", depth)
        for x, span in zip(operands, spans) if sign in ("&&", "||") else ():
            n = self.number("operand of " + sign, x, self.said(*span))
            self.wrap(span, f"(naik_slip({n}) || (" if sign == "&&" else f"(!naik_slip({n}) && (", "))", depth + 0.5)

    def statement(self, x, depth):
        """One of a block is gone."""
        begin, end = self.span(x)
        is_whole = x.kind in STATEMENTS and self.raw[end:].lstrip()[:1] == b";"
        if begin in self.loops or not (is_whole or CALL.match(self.raw, begin)) or \
                NOTHING_GOES_WRONG.match(self.said(begin, end)):
            return
        n = self.number("statement gone", x, self.said(begin, end))
        self.inserts.append((begin, (1, depth), f"if (!naik_slip({n})) "))
