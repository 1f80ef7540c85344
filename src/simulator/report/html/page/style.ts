/** The looks of a page, by day and by night, on paper and on a phone. */
export const style = String.raw`
:root { color-scheme: light dark;
  --paper: #fbfbfa; --card: #ffffff; --ink: #1d2430; --soft: #5a6474; --line: #dfe2e6; --accent: #1f5fbf; --tint: #eef2f8;
  --cached: #c9d8ec; --written: #7da7dc; --fresh: #2f6fc4; --usable: #b3261e;
  --p0: #1d2430; --p1: #b45309; --p2: #0f766e; --p3: #7c3aed; --p4: #be185d; --p5: #4d7c0f;
  --kept: #5b8fd0; --pruned: #d99a2b; --gone: #b9bec6; --left: #8e959f; --injected: #2f9e6e; --summary: #8a5cd6;
  --m0: #b8bec8; --m1: #2f6fc4; --m2: #d9822b; --m3: #2f9e6e; --m4: #8a5cd6; --m5: #c23b6b; --m6: #b59b1e; --m7: #3aa6b9; --m8: #8a6d4f;
  --good: #17693a; --bad: #a3211a; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14171c; --card: #1b1f26; --ink: #e6e9ee; --soft: #a3adbb; --line: #333a45; --accent: #8ab8ff; --tint: #242b36;
  --cached: #2b3d57; --written: #3f6ca6; --fresh: #6aa5f0; --usable: #ff8f85;
  --p0: #e6e9ee; --p1: #f5a84b; --p2: #4fd1c0; --p3: #b79cff; --p4: #ff8ac0; --p5: #a8d65c;
  --kept: #5f93d6; --pruned: #e0a94a; --gone: #4a515c; --left: #6b7380; --injected: #4cbf8b; --summary: #a685ec;
  --m0: #59616d; --m1: #6aa5f0; --m2: #f0a35a; --m3: #4cbf8b; --m4: #a685ec; --m5: #ee7aa4; --m6: #d9c24f; --m7: #5cc4d6; --m8: #b8977a;
  --good: #6ed69a; --bad: #ff9b92; } }
* { box-sizing: border-box; }
html { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; background: var(--paper); color: var(--ink); -webkit-text-size-adjust: 100%; }
body { margin: 0; }
header { display: flex; gap: 1rem; align-items: baseline; padding: .8rem 1.2rem; border-bottom: 1px solid var(--line); background: var(--card); }
.home { white-space: nowrap; font-weight: 650; text-decoration: none; color: var(--ink); }
#where { color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
main, footer { max-width: 76rem; margin: 0 auto; padding: 0 1.2rem; }
main { padding-bottom: 2rem; } main:focus { outline: none; }
footer { color: var(--soft); font-size: .85rem; padding-bottom: 2rem; }
h1 { font-size: 1.45rem; line-height: 1.25; margin: 1.4rem 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.08rem; margin: 2rem 0 .5rem; }
p { margin: .4rem 0; max-width: 46rem; overflow-wrap: anywhere; }
a { color: var(--accent); } .soft { color: var(--soft); }
.skip { position: absolute; left: -99rem; } .skip:focus { left: .5rem; top: .5rem; z-index: 9; background: var(--card); padding: .4rem .8rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.note { border-left: 3px solid var(--accent); background: var(--tint); padding: .45rem .8rem; margin: .6rem 0; max-width: none; overflow-wrap: anywhere; }
.bar { display: flex; flex-wrap: wrap; gap: .5rem .9rem; align-items: center; margin: .5rem 0; }
.bar .push { margin-left: auto; display: flex; gap: .4rem; flex-wrap: wrap; }
button, select, input { font: inherit; font-size: .88rem; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .28rem .6rem; min-height: 2rem; }
button { cursor: pointer; } button:hover { background: var(--tint); }
input[type=search] { width: min(22rem, 100%); }
label { display: inline-flex; gap: .4rem; align-items: center; max-width: 100%; } select { min-width: 0; max-width: 100%; }
fieldset { border: 0; padding: 0; margin: .5rem 0; display: flex; flex-wrap: wrap; gap: .3rem 1rem; align-items: center; } legend { float: left; padding: 0; margin-right: .8rem; color: var(--soft); }
input[type=checkbox] { min-height: 0; accent-color: var(--accent); width: 1rem; height: 1rem; }
.swatch { width: 1rem; height: .25rem; border-radius: 2px; display: inline-block; background: currentColor; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
.tall { max-height: 34rem; overflow-y: auto; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .5rem .7rem; color: var(--soft); }
th, td { padding: .32rem .7rem; text-align: left; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border-top: 0; position: sticky; top: 0; background: var(--card); white-space: nowrap; z-index: 1; box-shadow: 0 1px 0 var(--line); }
tbody th { font-weight: 500; } tbody tr:hover { background: var(--tint); }
.number { text-align: right; white-space: nowrap; } .words { min-width: 16rem; overflow-wrap: anywhere; } .name { max-width: 26rem; overflow-wrap: anywhere; min-width: 13rem; }
th button { border: 0; background: none; padding: 0; font-weight: 600; min-height: 0; } th button::after { content: " ↕"; content: " ↕" / ""; color: var(--soft); opacity: .55; }
th[aria-sort=ascending] button::after { content: " ↑"; content: " ↑" / ""; opacity: 1; color: var(--accent); } th[aria-sort=descending] button::after { content: " ↓"; content: " ↓" / ""; opacity: 1; color: var(--accent); }
.best { color: var(--good); font-weight: 600; } .bad { color: var(--bad); }
.chip { display: inline-block; padding: 0 .45rem; border-radius: 99px; border: 1px solid var(--line); font-size: .8rem; white-space: nowrap; }
.chip.kept, .chip.pruned, .chip.summarised, .chip.left, .chip.injected, .chip.summary { border-left-width: .5rem; }
.chip.kept { border-color: var(--kept); } .chip.pruned { border-color: var(--pruned); } .chip.summarised { border-color: var(--gone); } .chip.left { border-color: var(--left); } .chip.injected { border-color: var(--injected); } .chip.summary { border-color: var(--summary); }
.chip.sign-came { border-color: var(--good); color: var(--good); } .chip.sign-went { border-color: var(--bad); color: var(--bad); }
.part-kept, .key-kept { fill: var(--kept); background: var(--kept); } .part-pruned, .key-pruned { fill: var(--pruned); background: var(--pruned); } .part-summarised, .key-summarised { fill: var(--gone); background: var(--gone); } .part-left, .key-left { fill: var(--left); background: var(--left); } .part-injected, .key-injected { fill: var(--injected); background: var(--injected); } .part-summary, .key-summary { fill: var(--summary); background: var(--summary); }
.strip { width: 100%; height: 5rem; display: block; margin: .5rem 0; }
h3 { font-size: .98rem; margin: 1rem 0 .3rem; overflow-wrap: anywhere; } .columns .bar { flex-wrap: nowrap; } .bar h3 { margin: .2rem 0; } .spaced { margin-top: 1.6rem; }
pre.text { font: .82rem/1.45 ui-monospace, "SFMono-Regular", Menlo, monospace; background: var(--tint); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; margin: .4rem 0; max-height: 22rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.drawing { white-space: pre !important; max-height: none !important; } .line.came { color: var(--good); } .line.went { color: var(--bad); }
.whisker { stroke: var(--ink); stroke-width: 1.6; } .aside { position: absolute; left: -99rem; width: 60rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .6rem; margin: .8rem 0; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .5rem .8rem; } .tile b { display: block; font-size: 1.2rem; font-weight: 620; } .tile span { color: var(--soft); font-size: .84rem; }
figure { margin: .5rem 0; border: 1px solid var(--line); border-radius: 8px; background: var(--card); padding: .6rem; } figcaption { color: var(--soft); font-size: .86rem; padding: .2rem .3rem; }
.plot { position: relative; touch-action: pan-y; cursor: crosshair; } .plot svg { display: block; width: 100%; overflow: visible; } .still { cursor: default; } .still svg { margin: 0 auto; }
.tip { position: absolute; pointer-events: none; background: var(--card); color: var(--ink); border: 1px solid var(--line); border-radius: 6px; padding: .4rem .6rem; font-size: .82rem; width: max-content; max-width: min(24rem, 92%); box-shadow: 0 4px 14px #0003; z-index: 3; overflow-wrap: anywhere; white-space: pre-line; }
.tip[hidden] { display: none; }
svg text { font: 11px system-ui, sans-serif; fill: var(--soft); } svg .label { fill: var(--ink); font-size: 12px; }
.axis { stroke: var(--line); } .usable { stroke: var(--usable); stroke-dasharray: 6 4; stroke-width: 1.5; fill: none; } svg .usable-text { fill: var(--usable); }
.area-cached { fill: var(--cached); } .area-written { fill: var(--written); } .area-fresh { fill: var(--fresh); }
.cursor { stroke: var(--accent); stroke-width: 1; } .brush { fill: var(--accent); opacity: .15; } .front { stroke: var(--soft); stroke-dasharray: 3 3; fill: none; }
.key { display: inline-flex; align-items: center; gap: .35rem; margin-right: .9rem; max-width: 100%; overflow-wrap: anywhere; } .key i { flex: none; } .key i { width: .9rem; height: .7rem; border-radius: 2px; display: inline-block; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .5rem 0; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
li, h2 { overflow-wrap: anywhere; } details > summary { cursor: pointer; padding: .3rem 0; } ul.ids { margin: .2rem 0; padding-left: 1.2rem; font-size: .84rem; columns: 3 14rem; } ul.moments { list-style: none; padding: 0; } ul.moments li { padding: .35rem 0; border-top: 1px solid var(--line); }
.columns { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); } .columns > section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .2rem .9rem .7rem; min-width: 0; } .columns h2 { margin-top: .7rem; }
@media (max-width: 40rem) { header, main, footer { padding-left: .8rem; padding-right: .8rem; } th, td { padding: .3rem .5rem; } dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .4rem; } .bar .push { margin-left: 0; } .name { max-width: 11rem; min-width: 8rem; } }
@media print { .push, .skip, nav, label:has([type=search]) { display: none !important; } select { appearance: none; border: 0; padding: 0; }
  .scroll, .tall { overflow: visible; max-height: none; } table { font-size: .64rem; } th, td { padding: .2rem .3rem; } .name { min-width: 5.5rem; }
  thead th, thead th.number { white-space: normal; position: static; } th button { font-size: inherit; text-align: inherit; } th button::after { content: none !important; } figure, tr { break-inside: avoid; } }
@media (prefers-reduced-motion: no-preference) { .tip { transition: left .05s linear; } }
`;
