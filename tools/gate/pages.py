"""pages.py - generated parts of pages that are otherwise written by hand
(README.md, docs/cli.md), for tools/gate/gen-docs and tools/gate/gen-share.

A part lies between two comments:

    <!-- made: NAME -->
    <!-- end -->

A ```console block is a session: each line that starts with "$ " is a command,
and what follows it, up to the next one, is what the command prints.
"""
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PART = re.compile(r"(<!-- made: (.*?) -->\n)(.*?)(<!-- end -->)", re.S)
CONSOLE = re.compile(r"(```console\n)(.*?)(```\n)", re.S)


def fill(text, make):
    """The page with every part replaced by make(NAME, what is there now)."""
    return PART.sub(lambda m: m[1] + make(m[2], m[3]) + m[4], text)


def table(head, rows):
    """A Markdown table; a bar in a cell is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(c.replace("|", "\\|") for c in line)
                   + " |\n" for line in lines)


def run_session(page, ashlar):
    """The page with the output of every command as it is today. Commands run
    in one empty folder that has `examples`, with the program on the PATH."""
    with tempfile.TemporaryDirectory() as folder:
        bin_folder = pathlib.Path(folder, "bin")
        bin_folder.mkdir()
        (bin_folder / "ashlar").symlink_to(pathlib.Path(ashlar).resolve())
        work = pathlib.Path(folder, "work")
        work.mkdir()
        (work / "examples").symlink_to(ROOT / "examples")
        env = {**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "92",
               "PATH": f"{bin_folder}:{os.environ['PATH']}"}

        def replay(block):
            out = []
            for line in block[2].splitlines():
                if line.startswith("$ "):
                    done = subprocess.run(
                        line[2:], shell=True, cwd=work, env=env, text=True,
                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT)
                    out += [line, *(l.rstrip() for l
                                    in done.stdout.splitlines())]
            return block[1] + "\n".join(out) + "\n" + block[3]

        return CONSOLE.sub(replay, page)
