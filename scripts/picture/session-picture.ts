import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { z } from 'zod';
import { main } from '../../src/cli/main.ts';

/** One run, as the picture needs it. */
interface DrawnRun {
  readonly policy: string;
  /** The first step whose request exceeds the window; absent where none does. */
  readonly impossibleFrom?: number;
  /** With what is read again. */
  readonly costUsd: number;
  readonly losses: number;
  readonly contextTokens: readonly number[];
  /** How many steps were over at each compaction. */
  readonly compactedAfter: readonly number[];
}

/** The folder and the session that the README generates. */
const FOLDER = 'generated';
const SESSION = `${FOLDER}/claude-code-1-4.jsonl`;
const GENERATE = ['sessions', 'generate', 'claude-code', '--sessions', '12', '--out'];
const MODEL = 'anthropic/claude-opus-4-5';
const POLICIES = 'none,opencode-1.18,opencode-1.18 triggerFraction=0.7';
const WINDOW_TOKENS = 200_000;

/** The lines of saved events that are read here. */
const LINE = z.object({
  run: z.object({ policy: z.string() }).optional(),
  impossible: z.string().optional(),
  metrics: z
    .object({
      costUsd: z.number(),
      regretUsd: z.number().nullish(),
      misses: z.number(),
      unrecoverableMisses: z.number(),
    })
    .optional(),
  type: z.string().nullish(),
  contextTokens: z.number().optional(),
});

/** Pixels. */
const WIDTH = 860;
const MARGIN = 20;
const PANEL_HEIGHT = 150;
const PANEL_GAP = 14;
const CHART_TOP = 28;
const CHART_WIDTH = 640;
const PRICE_LEFT = MARGIN + CHART_WIDTH + 24;
/** The tokens at the top of each chart. */
const SCALE_TOKENS = 250_000;

/** The picture brings its own background, so it reads the same on a light and on a dark page. */
const STYLE = `
  text { font: 14px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; fill: #dfe3ea }
  .policy { font-weight: 700; fill: #ffffff }
  .price { font-size: 30px; font-weight: 700; fill: #ffffff }
  .none { font-size: 24px; fill: #ff8f88 }
  .small { font-size: 12px; fill: #a3abba }
  .context { fill: #4f8fdd }
  .beyond { fill: none; stroke: #ff8f88; stroke-dasharray: 3 3 }
  .window { stroke: #a3abba; stroke-dasharray: 6 4 }
  .axis { stroke: #5b6475 }
  .compaction { fill: #f2c661 }
`;

/** The picture of the README: one generated session under three policies. */
export async function drawSession(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-picture-'));
  try {
    const events = join(folder, 'events.jsonl');
    await run([...GENERATE, join(folder, FOLDER)]);
    const options = ['--policy', POLICIES, '--model', MODEL, '--events', events];
    await run(['run', join(folder, SESSION), ...options]);
    return renderPicture(readRuns(readFileSync(events, 'utf8')));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(argv: readonly string[]): Promise<void> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const code = await main(['--no-cache', ...argv], {
    stdin: process.stdin,
    stdout: nowhere,
    stderr: nowhere,
    env: {},
    signal: new AbortController().signal,
    now: () => 0,
  });
  if (code !== 0) throw new Error(`Expected exit code 0 of '${argv.join(' ')}', got ${code}.`);
}

/** The runs of a file of events. */
function readRuns(text: string): readonly DrawnRun[] {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => LINE.parse(JSON.parse(line)));
  const starts = lines.flatMap(({ run: started }, index) => (started === undefined ? [] : [index]));
  return starts.map((start, index) => readRun(lines.slice(start, starts[index + 1])));
}

function readRun([start, ...lines]: readonly z.infer<typeof LINE>[]): DrawnRun {
  const { run: started, impossible, metrics } = start ?? {};
  if (started === undefined || metrics === undefined)
    throw new Error('Expected a run with metrics.');
  const contextTokens: number[] = [];
  const compactedAfter: number[] = [];
  for (const line of lines) {
    if (line.type === 'pivot') compactedAfter.push(contextTokens.length);
    if (line.type === 'step-end') contextTokens.push(line.contextTokens ?? 0);
  }
  const from = /^step (\d+) /.exec(impossible ?? '')?.[1];
  return {
    policy: started.policy,
    ...(from !== undefined && { impossibleFrom: Number(from) }),
    costUsd: metrics.costUsd + (metrics.regretUsd ?? 0),
    losses: metrics.misses + metrics.unrecoverableMisses,
    contextTokens,
    compactedAfter,
  };
}

/** The runs of one session as charts below each other. */
function renderPicture(runs: readonly DrawnRun[]): string {
  const height = 2 * MARGIN + runs.length * (PANEL_HEIGHT + PANEL_GAP) - PANEL_GAP;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    '<title>The context of one session under three policies, step by step</title>',
    `<style>${STYLE}</style>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8" fill="#171b24" stroke="#5b6475"/>`,
    ...runs.flatMap((drawn, index) =>
      renderPanel(drawn, MARGIN + index * (PANEL_HEIGHT + PANEL_GAP)),
    ),
    '</svg>\n',
  ].join('\n');
}

function renderPanel(drawn: DrawnRun, top: number): readonly string[] {
  const bottom = top + PANEL_HEIGHT;
  const limit = round(heightOf(WINDOW_TOKENS, top));
  const right = MARGIN + CHART_WIDTH;
  return [
    `<text class="policy" x="${MARGIN}" y="${top + 14}">${drawn.policy}</text>`,
    `<text class="small" x="${right}" y="${top + 14}" text-anchor="end">${drawn.contextTokens.length} steps, window of ${WINDOW_TOKENS.toLocaleString('en')} tokens</text>`,
    ...renderContext(drawn, top),
    `<line class="window" x1="${MARGIN}" y1="${limit}" x2="${right}" y2="${limit}"/>`,
    `<line class="axis" x1="${MARGIN}" y1="${bottom}" x2="${right}" y2="${bottom}"/>`,
    ...drawn.compactedAfter.map((after) =>
      renderCompaction(MARGIN + after * stepWidth(drawn), top),
    ),
    ...renderPrice(drawn, top + 70),
  ];
}

/** The context of each step; what no window holds is only outlined. */
function renderContext(drawn: DrawnRun, top: number): readonly string[] {
  const { contextTokens, impossibleFrom = contextTokens.length + 1 } = drawn;
  const beyond = outline(drawn, top, [impossibleFrom - 1, contextTokens.length]);
  return [
    `<path class="context" d="${outline(drawn, top, [0, impossibleFrom - 1])}Z"/>`,
    ...(impossibleFrom > contextTokens.length ? [] : [`<path class="beyond" d="${beyond}"/>`]),
  ];
}

function outline(drawn: DrawnRun, top: number, [from, to]: readonly [number, number]): string {
  const width = stepWidth(drawn);
  const bottom = top + PANEL_HEIGHT;
  const steps = drawn.contextTokens.slice(from, to).map((tokens, index) => {
    const end = MARGIN + (from + index + 1) * width;
    return `V${round(heightOf(tokens, top))}H${round(end)}`;
  });
  return `M${round(MARGIN + from * width)} ${bottom}${steps.join('')}V${bottom}`;
}

function renderCompaction(x: number, top: number): string {
  const y = top + CHART_TOP;
  return `<path class="compaction" d="M${round(x - 6)} ${y - 4}h12l-6 10Z"><title>compaction</title></path>`;
}

function renderPrice({ costUsd, losses, impossibleFrom, compactedAfter }: DrawnRun, y: number) {
  const [price, style, ...notes] =
    impossibleFrom === undefined
      ? [
          `$${costUsd.toFixed(2)}`,
          '',
          countOf(compactedAfter.length, 'compaction'),
          countOf(losses, 'thing lost', 'things lost'),
        ]
      : ['impossible', ' none', `too large from step ${impossibleFrom}`];
  return [
    `<text class="price${style}" x="${PRICE_LEFT}" y="${y}">${price}</text>`,
    ...notes.map(
      (note, index) => `<text x="${PRICE_LEFT}" y="${y + 24 + 20 * index}">${note}</text>`,
    ),
  ];
}

function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function stepWidth({ contextTokens }: DrawnRun): number {
  return CHART_WIDTH / contextTokens.length;
}

function heightOf(tokens: number, top: number): number {
  const share = tokens / SCALE_TOKENS;
  return top + PANEL_HEIGHT - share * (PANEL_HEIGHT - CHART_TOP);
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
