"""The style of a report: light and dark, from 360 pixels, and on paper."""

STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --page: #ffffff; --card: #f4f6f8; --line: #d0d7de;
  --bar: #0969da; --against: #b35900; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9da7b3; --page: #0d1117; --card: #161b22;
  --line: #3d444d; --bar: #58a6ff; --against: #f0883e; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; }
h2 { font-size: 1.25rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; margin: 2rem 0 .75rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
header p, small, figcaption { color: var(--soft); font-size: .875rem; }
.tiles { display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; list-style: none; }
.tiles li { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; }
.tiles strong { font-size: 1.25rem; }
.records { padding: 0; list-style: none; }
.records li { border-bottom: 1px solid var(--line); padding: .5rem 0; }
.records small { display: block; }
.memory { white-space: pre-wrap; }
.wide { overflow-x: auto; }
.wide:focus-visible { outline: 2px solid var(--bar); }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { text-align: start; vertical-align: top; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; min-width: 4.5rem; }
figure { margin: 1rem 0; }
.chart { width: 100%; height: auto; }
.chart text { font-size: 12px; fill: var(--soft); }
.cell { width: 8rem; height: .75rem; }
.bar { fill: var(--bar); }
.against { fill: var(--against); }
.axis { fill: var(--soft); }
.grid { stroke: var(--line); stroke-width: 1; }
.line { fill: none; stroke: var(--bar); stroke-width: 2; }
.line1 { stroke: var(--against); stroke-dasharray: 6 4; }
@media print { :root { color-scheme: light; --text: #000; --soft: #444; --page: #fff; --card: #fff; --line: #bbb;
  --bar: #0969da; --against: #b35900; }
  body { max-width: none; padding: 0; font-size: 10pt; } .wide { overflow: visible; }
  .records li, tr, figure { break-inside: avoid; } h2, h3 { break-after: avoid; } }
"""
