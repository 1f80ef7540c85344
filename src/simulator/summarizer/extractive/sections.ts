import type { SummaryRequest } from '../../../engine/index.ts';
import { findDiscoveries } from './discoveries.ts';
import { findFiles } from './files.ts';
import { findGoals } from './goal.ts';
import { readHead } from './head.ts';
import { findInstructions } from './instructions.ts';
import { dropRepeated, type Item } from './item.ts';
import { readPreviousSummary } from './previous.ts';
import { findProgress } from './progress.ts';
import { readRuns } from './runs.ts';
import { readLines } from './lines.ts';
import { findMentions } from './mentions.ts';
import { findStatements } from './statements.ts';
import { type BySection, bySection, SECTION_NAMES } from './template.ts';
import { type DatedTouch, readTouches } from './touches.ts';

/** Touches of files that have a line of their own under any but the smallest cap. */
const LISTED_TOUCHES = 40;

/** Everything of a head that a summary may hold, and what an earlier summary held, oldest first. */
export function readSections(request: SummaryRequest): BySection<readonly Item[]> {
  const head = readHead(request);
  const previous = readPreviousSummary(head.previous);
  const runs = readRuns(head);
  const touches = readTouches(request.messages, head.calls);
  const { names, commands } = findMentions(request.messages, {
    previous: SECTION_NAMES.flatMap((name) => previous[name]),
    isListed: listedElsewhere(touches),
  });
  const troubles = new Set(runs.flatMap((run) => run.troubles));
  const lines = readLines(request.messages).filter(({ text }) => !troubles.has(text));
  const earlier = SECTION_NAMES.flatMap((name) => (name === 'names' ? [] : previous[name]));
  const { found: statements, weighCarried, penaltyOf } = findStatements(lines, earlier);
  const carried = bySection((name) => previous[name].map(weighCarried));
  const found = {
    goal: findGoals(head, previous.goal),
    instructions: findInstructions(head, carried.instructions, penaltyOf),
    discoveries: findDiscoveries(head, runs, carried.discoveries),
    accomplished: findProgress(head, { runs, touches, oftenRan: commands }, carried.accomplished),
    files: findFiles(touches, previous.files),
    names,
  };
  return bySection((name) => dropRepeated([...found[name], ...statements[name]]));
}

/** Whether a file has a line of its own. */
function listedElsewhere(touches: readonly DatedTouch[]): (text: string) => boolean {
  const paths = new Set(touches.slice(-LISTED_TOUCHES).map(({ path }) => path));
  return (text) => paths.has(text);
}
