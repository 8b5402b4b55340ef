"""What pages have in common: colours by day and by night, and fonts of the reader's own system."""

from __future__ import annotations

from typing import Final

PAGE_STYLE: Final = """
:root{color-scheme:light dark;--ink:#1f2328;--muted:#5d6570;--paper:#fff;--panel:#f6f8fa;--line:#d5d9de;
--strong:#8b949e;--accent:#0b5cad;--bad:#b42318;
--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--muted:#9aa4af;--paper:#0d1117;--panel:#161b22;--line:#30363d;
--strong:#6e7681;--accent:#6cb0f5;--bad:#ff9d92}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:80rem;padding:1.5rem 1rem 3rem;color:var(--ink);
background:var(--paper)}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem;overflow-wrap:anywhere}
code,pre{font-family:var(--mono);font-size:.875em}
"""
