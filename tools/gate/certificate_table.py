"""certificate_table.py - the table of docs/certificates.md, from what
bench/certificates wrote into bench/certificates.csv."""
import csv

from pages import ROOT, fill, table


def group(name, evidence):
    return name.partition("/")[0], evidence


def rows(lines):
    groups = {}
    for line in lines:
        groups.setdefault(group(line["instance"], line["evidence"]),
                          []).append(line)
    for (name, evidence), found in groups.items():
        without, seconds, verify = (sum(float(l[c]) for l in found)
                                    for c in ("seconds", "with", "verify"))
        largest = max(int(l["bytes"]) for l in found)
        yield [name, evidence, str(len(found)),
               f"{max(int(l['buffers']) for l in found):,}",
               f"{without:.2f}", f"{seconds:.2f}",
               f"{seconds / without:.2f}" if without > .05 else "–",
               f"{largest:,}", f"{verify:.2f}"]


def certificates():
    """docs/certificates.md as it should be."""
    with open(ROOT / "bench" / "certificates.csv", encoding="ascii") as f:
        lines = list(csv.DictReader(f))
    head = ["instances", "evidence", "number", "buffers, at most", "seconds",
            "with certificate", "ratio", "bytes, at most", "seconds to verify"]
    return fill((ROOT / "docs/certificates.md").read_text(),
                lambda name, old: table(head, rows(lines)))
