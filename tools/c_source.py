"""The tokens of a C file and what it declares at file scope, without a preprocessor: enough
for sources as clang-format leaves them, whose braces are balanced in every branch of #if. A real parser,
libclang or tree-sitter, would have to be installed wherever the amalgamation is built; this needs Python alone."""

import dataclasses
import re

PATTERN = re.compile(r"""
    (?P<comment> /\*.*?\*/ | //[^\n]* )
  | (?P<string>  "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
  | (?P<id>      [A-Za-z_]\w* )
  | (?P<number>  \.?\d(?:[eEpP][+-]|[\w.])* )
  | (?P<newline> \n )
  | (?P<space>   (?:[ \t\f\r]|\\\n)+ )
  | (?P<punct>   -> | \#\# | \.\.\. | . )
""", re.X | re.S)
KEYWORDS = {"sizeof", "void", "char", "int", "_Alignas", "_Static_assert", "__attribute__", "__extension__"}
OPEN, CLOSE = "([{", ")]}"


@dataclasses.dataclass
class Token:
    kind: str
    text: str
    line: int
    directive: str = ""  # of the preprocessor, that it is in: "define", "include"


def tokens_of(text):
    tokens, directive, line = [], "", 1
    begins_line = True
    for match in PATTERN.finditer(text):
        token = Token(match.lastgroup, match[0], line)
        line += token.text.count("\n")
        if token.text == "#" and begins_line:
            directive = re.compile(r"#[ \t]*(\w*)").match(text, match.start())[1] or "#"
        token.directive = directive
        if token.kind == "newline":
            directive, begins_line = "", True
        elif token.kind not in ("space", "comment"):
            begins_line = False
        tokens.append(token)
    return tokens


@dataclasses.dataclass
class Declaration:
    """What stands at file scope up to a semicolon or the end of a function's body."""
    begin: int  # its first token
    end: int  # that after its last
    function: str = ""  # a function that is declared or defined
    variables: list = dataclasses.field(default_factory=list)
    others: list = dataclasses.field(default_factory=list)  # types, tags, enumerators
    words: frozenset = frozenset()  # identifiers outside of brackets
    has_body: bool = False
    is_incomplete: bool = False  # an array without a size

    @property
    def is_static(self):
        return "static" in self.words

    def names(self):
        return [*([self.function] if self.function else []), *self.variables, *self.others]


class Source:
    def __init__(self, text):
        self.tokens = tokens_of(text)
        self.code = [i for i, token in enumerate(self.tokens)
                     if token.kind not in ("space", "newline", "comment") and not token.directive]
        self.used = {}
        self.members = self.find_members()
        self.declarations = list(self.find_declarations())

    def text(self, at):
        """Of the token that is code[at]."""
        return self.tokens[self.code[at]].text if 0 <= at < len(self.code) else ""

    def is_id(self, at):
        return 0 <= at < len(self.code) and self.tokens[self.code[at]].kind == "id" and self.text(at) not in KEYWORDS

    def is_ordinary(self, i):
        """Whether tokens[i] is an identifier and does not name a member."""
        if self.tokens[i].kind != "id" or i in self.members:
            return False
        i -= 1
        while i >= 0 and self.tokens[i].kind in ("space", "newline", "comment"):
            i -= 1
        return i < 0 or self.tokens[i].text not in (".", "->")

    def identifiers(self, d):
        """Those of a declaration that do not name members."""
        if d.begin not in self.used:
            self.used[d.begin] = {self.tokens[i].text for i in range(d.begin, d.end) if self.is_ordinary(i)}
        return self.used[d.begin]

    def find_members(self):
        """Tokens that name a member where its struct is defined."""
        members, stack = set(), []  # of open brackets: "struct", "enum" or the bracket itself
        for at in range(len(self.code)):
            text = self.text(at)
            if text in OPEN:
                tag = at - 2 if self.is_id(at - 1) and self.text(at - 1) not in ("struct", "union", "enum") else at - 1
                kind = {"struct": "struct", "union": "struct", "enum": "enum"}.get(self.text(tag), text)
                stack.append(kind if text == "{" else text)
            elif text in CLOSE:
                stack.pop()
            elif not self.is_id(at) or not stack:
                continue
            elif stack[-1] == "struct" and self.text(at + 1) in (";", ",", "[", ":"):
                members.add(self.code[at])
            elif stack[-2:] == ["struct", "("] and self.text(at - 1) == "*" and self.text(at - 2) == "(":
                members.add(self.code[at])  # of a pointer to a function
        return members

    def skip(self, at):
        """Behind the bracket that closes the one at `at`."""
        depth = 0
        while at < len(self.code):
            depth += (self.text(at) in OPEN) - (self.text(at) in CLOSE)
            at += 1
            if depth == 0:
                break
        return at

    def find_declarations(self):
        at = 0
        while at < len(self.code):
            begin, assigned, parens = at, False, None
            while True:
                text = self.text(at)
                if text == "" or text == ";":
                    at += 1
                    break
                if text == "(" and at == begin + 1 and self.text(begin).isupper() and self.text(self.skip(at)) != ";":
                    at = self.skip(at)  # a macro that stands for declarations
                    break
                if text == "{" and parens == at and not assigned:
                    at = self.skip(at)
                    yield self.declaration(begin, at, body=parens)
                    begin = None
                    break
                assigned = assigned or text == "="
                at = self.skip(at) if text in OPEN else at + 1
                if text == "(":
                    parens = at
            if begin is not None and begin < min(at, len(self.code)):
                yield self.declaration(begin, min(at, len(self.code)))

    def declaration(self, begin, end, body=None):
        d = Declaration(self.code[begin], self.code[end - 1] + 1, has_body=body is not None)
        outer, at = [], begin  # what is outside of brackets
        while at < (body or end):
            outer.append(at)
            if self.text(at) == "{":
                d.others += self.enumerators(at)
            at = self.skip(at) if self.text(at) in OPEN else at + 1
        d.words = frozenset(self.text(at) for at in outer)
        for word in ("struct", "union", "enum"):
            d.others += [self.text(at + 1) for at in outer
                         if self.text(at) == word and self.is_id(at + 1) and self.text(at + 2) in ("{", ";")]
        if len(outer) > 1 and self.text(begin).isupper() and self.text(begin + 1) == "(":
            d.others += [self.text(begin + 2)] if self.is_id(begin + 2) else []  # what the macro makes of it
            return d
        self.declarators(d, outer)
        return d

    def enumerators(self, at):
        """Of an enum's body, or those in a struct's, that begins at `at`."""
        names, end = [], self.skip(at)
        is_enum = "enum" in (self.text(at - 1), self.text(at - 2))
        for i in range(at, end):
            if is_enum and self.is_id(i) and self.text(i - 1) in ("{", ","):
                names.append(self.text(i))
            elif i > at and self.text(i) == "{":
                names += self.enumerators(i)
        return names

    def declarators(self, d, outer):
        names = []
        for i, at in enumerate(outer):
            following = self.text(outer[i + 1]) if i + 1 < len(outer) else "{"
            if self.text(at) == "(" and self.text(at + 1) == "*":
                names.append(self.text(at + 2))  # a pointer to a function
                break
            if self.is_id(at) and following == "(" and self.text(outer[i + 1] + 1) != "*":
                d.function = self.text(at)
                break
            if self.is_id(at) and following in ("=", "[", ",", ";"):
                names.append(self.text(at))
                d.is_incomplete = following == "[" and self.text(outer[i + 1] + 1) == "]"
        if "typedef" in d.words:
            d.others += names or [d.function]
            d.function = ""
        else:
            d.variables += [name for name in names if name not in d.others]
