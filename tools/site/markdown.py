"""Markdown to HTML: what the pages of docs/ use, nothing more. Headings,
paragraphs, lists, tables, fenced and indented code, quotes, links, images,
`code`, **bold**, *italic*. Comments are dropped; other HTML is shown as text."""
import html
import re

FENCE = re.compile(r"^```(\S*)")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
ITEM = re.compile(r"^(\s*)([*+-]|\d+[.)])\s+(.*)$")
RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")


def slug(text):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", text).lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def inline(text, link):
    """Code spans first: nothing inside them means anything."""
    parts = re.split(r"(`+)(.+?)\1", text)
    out = []
    for k in range(0, len(parts), 3):
        out.append(spans(parts[k], link))
        if k + 2 < len(parts):
            out.append(f"<code>{html.escape(parts[k + 2].strip(), False)}</code>")
    joined = "".join(out)
    joined = re.sub(r"!\[([^]]*)\]\(([^)\s]+)\)", lambda m: (
        f'<img alt="{m[1]}" src="{link(m[2])}">'), joined)
    return re.sub(r"\[((?:[^][]|\[[^]]*\])*)\]\(([^)\s]+)\)", lambda m: (
        f'<a href="{link(m[2])}">{m[1]}</a>'), joined)


def spans(text, link):
    text = re.sub(r"&lt;(https?://[^&]+)&gt;", r'<a href="\1">\1</a>',
                  html.escape(text, False))
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])",
                  r"<em>\1</em>", text)


def cells(line):
    """Columns of a row; bars in code or behind a backslash do not count."""
    line = line.strip().strip("|") if not line.strip().endswith("\\|") else (
        line.strip().lstrip("|"))
    found = re.split(r"(?<!\\)\|", line)
    return [c.strip().replace("\\|", "|") for c in found]


class Page:
    """One page under way."""

    def __init__(self, text, link):
        self.lines = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S).split("\n")
        self.at, self.out, self.link = 0, [], link
        self.headings = []  # (level, text, anchor, index in out)

    def line(self):
        return self.lines[self.at] if self.at < len(self.lines) else None

    def inline(self, text):
        return inline(text, self.link)

    def run(self):
        while self.line() is not None:
            if not self.line().strip():
                self.at += 1
            else:
                self.block()
        return "\n".join(self.out)

    def block(self):
        line = self.line()
        if FENCE.match(line):
            self.code()
        elif HEADING.match(line):
            self.heading()
        elif line.startswith("    ") and not ITEM.match(line):
            self.indented()
        elif self.is_table():
            self.table()
        elif ITEM.match(line):
            self.items(len(ITEM.match(line)[1]))
        elif line.startswith(">"):
            self.quote()
        else:
            self.paragraph()

    def code(self):
        kind = FENCE.match(self.line())[1]
        self.at += 1
        found = []
        while self.line() is not None and not self.line().startswith("```"):
            found.append(self.line())
            self.at += 1
        self.at += 1
        self.out.append(f'<pre tabindex="0" class="{html.escape(kind)}"><code>'
                        + html.escape("\n".join(found), False)
                        + "</code></pre>")

    def indented(self):
        found = []
        while self.line() is not None and (
                self.line().startswith("    ") or not self.line().strip()):
            found.append(self.line()[4:])
            self.at += 1
        self.out.append('<pre tabindex="0"><code>' + html.escape(
            "\n".join(found).rstrip(), False) + "</code></pre>")

    def heading(self):
        level, text = HEADING.match(self.line()).groups()
        anchor = slug(text)
        seen = sum(h[2].split("~")[0] == anchor for h in self.headings)
        anchor += f"-{seen}" if seen else ""
        self.headings.append((len(level), text, anchor, len(self.out)))
        n = len(level)
        self.out.append(f'<h{n} id="{anchor}"><a href="#{anchor}">'
                        f"{spans(re.sub(r'[`]', '', text), self.link)}"
                        f"</a></h{n}>")
        self.at += 1

    def is_table(self):
        after = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""
        return "|" in self.line() and "|" in after and RULE.match(after)

    def table(self):
        head = cells(self.line())
        right = [c.endswith(":") for c in cells(self.lines[self.at + 1])]
        self.at += 2
        rows = []
        while self.line() and "|" in self.line():
            rows.append(cells(self.line()))
            self.at += 1

        def row(tag, values):
            return "<tr>" + "".join(
                f"<{tag}{' class=right' if right[k:k + 1] == [True] else ''}>"
                f"{self.inline(v)}</{tag}>" for k, v in enumerate(values)
            ) + "</tr>"
        body = "".join(row("td", r) for r in rows)
        top = f"<thead>{row('th', head)}</thead>" if any(head) else ""
        self.out.append(f'<div class="wide" tabindex="0"><table>{top}<tbody>{body}</tbody>'
                        "</table></div>")

    def items(self, depth):
        tag = "ol" if ITEM.match(self.line())[2][0].isdigit() else "ul"
        self.out.append(f"<{tag}>")
        while self.line() is not None:
            match = ITEM.match(self.line())
            if not match or len(match[1]) < depth:
                break
            if len(match[1]) > depth:
                self.items(len(match[1]))
                continue
            self.item(match[3], depth)
        self.out.append(f"</{tag}>")

    def item(self, text, depth):
        """Its lines, and the blocks that are indented below it."""
        self.at += 1
        inside = [text]
        while self.line() is not None:
            line = self.line()
            if ITEM.match(line) and len(ITEM.match(line)[1]) <= depth:
                break
            if line.strip() and not line.startswith(" " * (depth + 1)) and (
                    not inside[-1].strip() or HEADING.match(line)
                    or FENCE.match(line)):
                break
            inside.append(line[depth + 2:] if line.startswith(
                " " * (depth + 2)) else line.lstrip())
            self.at += 1
        page = Page("\n".join(inside), self.link)
        made = page.run()
        if made.count("<p>") == 1:
            made = made.replace("<p>", "").replace("</p>", "")
        self.out.append(f"<li>{made}</li>")

    def quote(self):
        found = []
        while self.line() is not None and self.line().startswith(">"):
            found.append(self.line()[1:].lstrip())
            self.at += 1
        self.out.append("<blockquote>" + Page("\n".join(found), self.link).run()
                        + "</blockquote>")

    def paragraph(self):
        found = []
        while self.line() is not None and self.line().strip():
            if found and (FENCE.match(self.line()) or HEADING.match(self.line())
                          or ITEM.match(self.line()) or self.is_table()):
                break
            found.append(self.line())
            self.at += 1
        self.out.append(f"<p>{self.inline(chr(10).join(found))}</p>")


def plain(made):
    """The words of a piece of HTML, for the search."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", made)))
