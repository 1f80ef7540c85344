import {
  type Course,
  generatedCourses,
  type Half,
  recordedCourses,
} from './reproductions/race-courses.ts';
import { BASELINES, race, RACE_KINDS, shareHeld } from './reproductions/summarizer-race.ts';

const RUNNERS = ['extractive', ...BASELINES];
const USUAL_CAP = 4_096;
const WIDTH = 11;
const [half = 'heldOut', ...caps] = process.argv.slice(2);

function print(title: string, courses: readonly Course[], cap: number): void {
  const results = RUNNERS.map((name) => race(name, courses, cap));
  for (const pivot of [0, 1] as const) {
    write(`\n${title}, ${courses.length} sessions, ${cap} tokens, after pivot ${pivot + 1}`);
    write(row(['', ...RUNNERS]));
    for (const kind of RACE_KINDS) {
      const shares = results.map((result) => shareHeld(result, pivot, kind));
      const [own = null, ...others] = shares;
      if (own === null) continue;
      const isAhead = others.every((other) => (other ?? 0) < own);
      const weight = results[0]?.pivots[pivot].get(kind)?.weight ?? 0;
      const cells = shares.map((share) => `${(100 * (share ?? 0)).toFixed(1)} %`);
      write(row([kind, ...cells, `of ${weight.toFixed(0)}`, isAhead ? '' : 'behind']));
    }
  }
  write(row(['tokens', ...results.map(({ mostTokens }) => String(mostTokens))]));
}

function row(cells: readonly string[]): string {
  return cells.map((cell) => cell.padEnd(WIDTH)).join('');
}

function write(line: string): void {
  process.stdout.write(`${line.trimEnd()}\n`);
}

for (const cap of caps.length === 0 ? [USUAL_CAP] : caps.map(Number)) {
  print('generated', generatedCourses(half as Half), cap);
  print('recorded', recordedCourses(half as Half), cap);
}
