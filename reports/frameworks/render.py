"""A document of headings, paragraphs and tables as Markdown and as an HTML page. Inline: `code`, **bold**, [text](address)."""
import html
import re
from pathlib import Path

STYLE = Path(__file__).resolve().parent.parent / "page/style.css"
OWN_STYLE = """
header, main { max-width: 1500px; }
.scroll table { width: auto; font-size: 13px; }
.scroll th, .scroll td { padding: 3px 9px; text-align: left; vertical-align: top; white-space: nowrap; border-bottom: 1px solid var(--line); }
.scroll td.long { white-space: normal; min-width: 26ch; }
.scroll th:first-child, .scroll td:first-child { position: sticky; left: 0; background: var(--card); }
"""


def markdown(blocks):
    lines = []
    for kind, *parts in blocks:
        if kind == "table":
            heads, rows = parts
            lines += ["", "| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
            lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
        else:
            lines += ["", {"title": "# ", "head": "## ", "text": ""}[kind] + parts[0]]
    return "\n".join(lines[1:]) + "\n"


def inline(text):
    text = html.escape(str(text))
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)
    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', text)


def table(heads, rows):
    def row(cells, tag):
        return "<tr>" + "".join(f'<{tag}{" class=long" if len(str(cell)) > 40 else ""}>{inline(cell)}</{tag}>' for cell in cells) + "</tr>"
    return "\n".join(['<div class="scroll" tabindex="0"><table><thead>', row(heads, "th"), "</thead><tbody>", *(row(cells, "td") for cells in rows),
                      "</tbody></table></div>"])


def page(blocks):
    """One file, nothing loaded from elsewhere."""
    body, title = [], next(parts[0] for kind, *parts in blocks if kind == "title")
    for kind, *parts in blocks:
        if kind == "table":
            body.append(table(*parts))
        elif kind != "title":
            tag = {"head": "h2", "text": "p"}[kind]
            body.append(f"<{tag}>{inline(parts[0])}</{tag}>")
    style = STYLE.read_text(encoding="utf-8") + OWN_STYLE
    return (f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{inline(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<header><h1>{inline(title)}</h1></header>\n<main>\n"
            + "\n".join(body) + "\n</main>\n</body>\n</html>\n")
