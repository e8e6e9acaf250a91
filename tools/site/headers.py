"""The C interface as a page: every public header with its comments, read off
include/ashlar/*.h. A declaration keeps the comment above it."""
import re

BLOCK = re.compile(r"/\*(.*?)\*/", re.S)
BOILERPLATE = re.compile(
    r"^(#ifndef ASHLAR_\w+|#define ASHLAR_\w+_H|#include .*|#endif|#ifdef "
    r"__cplusplus|extern \"C\" \{|\})$")


def prose(comment):
    """A comment's words, without its stars."""
    lines = [re.sub(r"^\s*\* ?", "", line) for line in comment.split("\n")]
    return "\n".join(lines).strip()


def declarations(text):
    """(comment, code) of a header, in order."""
    text = re.sub(r"#ifdef __cplusplus\n.*?\n#endif\n", "", text, flags=re.S)
    comment, code, found, deep = "", [], [], 0
    for part in re.split(r"(?m)(^/\*.*?\*/\n)", text, flags=re.S):
        if part.startswith("/*"):
            comment = prose(BLOCK.match(part)[1])
            continue
        for chunk in re.split(r"\n\s*\n", part):
            code = [line for line in chunk.split("\n")
                    if line.strip() and not BOILERPLATE.match(line)]
            if code:
                found.append((comment, "\n".join(code)))
                comment = ""
    return found


def name_of(code):
    """What a piece of C declares, for the contents and the search."""
    for pattern in (r"\b(ash_\w+)\s*\(", r"\}\s*(ash_\w+)\s*;",
                    r"#define\s+(ASH_\w+)", r"\b(ash_\w+)\b"):
        match = re.search(pattern, code)
        if match:
            return match[1]
    return None


def page(folder):
    """Markdown of all headers."""
    out = ["# C interface", "", "Generated from the public headers. "
           "`pkg-config --cflags --libs ashlar` gives the flags; "
           "[compiler-engineers.md](compiler-engineers.md) is the guide.", ""]
    for header in sorted(folder.glob("*.h")):
        text = header.read_text()
        head = BLOCK.match(text)
        title, _, rest = prose(head[1]).partition(" - ")
        out += [f"## {title}", ""]
        first, *more = rest.split("\n\n")
        out += [first, ""]
        out += ["```text", *"\n\n".join(more).split("\n"), "```", ""] * bool(
            more)
        for comment, code in declarations(text[head.end():]):
            name = name_of(code)
            out += [f"### {name}", ""] if name else []
            out += [comment, ""] if comment else []
            out += ["```c", code, "```", ""]
    return "\n".join(out)
