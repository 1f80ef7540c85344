/** Colours of a page by day and by night, as variables of its style. */

const COLORS: Readonly<Record<string, readonly [day: string, night: string]>> = {
  paper: ['#fbfbfa', '#14171c'],
  card: ['#ffffff', '#1b1f26'],
  ink: ['#1d2430', '#e6e9ee'],
  soft: ['#566070', '#a3adbb'],
  line: ['#dfe2e6', '#333a45'],
  tint: ['#eef2f8', '#242b36'],
  accent: ['#1f5fbf', '#8ab8ff'],
  good: ['#17693a', '#6ed69a'],
  bad: ['#a3211a', '#ff9b92'],
  s0: ['#1f5fbf', '#6aa5f0'],
  s1: ['#c2560a', '#f5a84b'],
  s2: ['#0f766e', '#4fd1c0'],
  s3: ['#7c3aed', '#b79cff'],
  s4: ['#be185d', '#ff8ac0'],
  s5: ['#4d7c0f', '#a8d65c'],
  s6: ['#1d2430', '#e6e9ee'],
  s7: ['#8a5a2b', '#d6ad7d'],
};

/** Symbols of series, no multiple of the colours, so that colour and symbol together tell forty apart. */
const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond', 'roundRect'];
const SERIES = Object.keys(COLORS).filter((name) => /^s\d$/.test(name));

/** The colour and the symbol of a series by its place. */
export function lookOf(place: number): { readonly color: string; readonly symbol: string } {
  return {
    color: `var(--${SERIES[place % SERIES.length] ?? 'ink'})`,
    symbol: SYMBOLS[place % SYMBOLS.length] ?? 'circle',
  };
}

/** The variables as a style. */
export function colorStyle(): string {
  return `:root { color-scheme: light dark; ${variables(0)} }
@media (prefers-color-scheme: dark) { :root { ${variables(1)} } }
`;
}

/** A picture with the colours of the day in the place of variables, for programs that know none. */
export function withColors(svg: string): string {
  return svg.replaceAll(/var\(--(\w+)\)/g, (_, name: string) => COLORS[name]?.[0] ?? '#000');
}

function variables(at: 0 | 1): string {
  return Object.entries(COLORS)
    .map(([name, pair]) => `--${name}: ${pair[at]};`)
    .join(' ');
}
