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
import { type BySection, bySection } from './template.ts';
import { readTouches } from './touches.ts';

/** Everything of a head that a summary may hold, and what an earlier summary held, oldest first. */
export function readSections(request: SummaryRequest): BySection<readonly Item[]> {
  const head = readHead(request);
  const previous = readPreviousSummary(head.previous);
  const runs = readRuns(head);
  const touches = readTouches(request.messages, head.calls);
  const { names, commands } = findMentions(request.messages, previous.names);
  const statements = findStatements(readLines(request.messages));
  const found = {
    goal: findGoals(head, previous.goal),
    instructions: findInstructions(head, previous.instructions),
    discoveries: findDiscoveries(head, runs, previous.discoveries),
    accomplished: [...findProgress(head, { runs, touches }, previous.accomplished), ...commands],
    files: findFiles(touches, previous.files),
    names,
  };
  return bySection((name) => dropRepeated([...found[name], ...statements[name]]));
}
