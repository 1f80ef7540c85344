import { lineAt, type ProjectFile, replaceLines } from '../project/file.ts';
import { type MadeCall, roomBeside, type Scene, shownPath } from '../scene.ts';
import { type CallPlan, CHARACTERS_PER_TOKEN } from '../plan.ts';
import { compose, type TextSource } from '../text/compose.ts';
import { valueAt } from '../spread.ts';
import type { AgentStyle } from '../workload.ts';
import { isRepeat, spendRead, spendRepeat } from './read-budget.ts';

interface Shown {
  readonly file: ProjectFile;
  readonly from: number;
  readonly style: AgentStyle['lines'];
}

const NUMBER_WIDTH = 6;
const BAR_WIDTH = 5;
/** How often a file that was read is read from its start again, and not from where the last read ended. */
const FROM_START_RATE = 0.5;
/** What ranges add to the arguments of a read, on average of those with and without one. */
const MEAN_RANGE_CHARACTERS = 6;
/** Lines that fit in the shortest range that is worth naming. */
const LINES_OF_WHOLE = 2_000;

/** Reads a file, often one that was read before; its lines are those that it has now. */
export function makeRead(scene: Scene, call: CallPlan): MadeCall {
  const { keys } = scene.workload.style;
  const file = fileToRead(scene, call);
  if (file.wasRead) spendRepeat(scene.reads);
  else spendRead(scene.reads);
  const isAgain = file.wasRead && !scene.draw.isTrue(FROM_START_RATE);
  const from = isAgain ? file.nextLine : 0;
  const output = showLines(scene, call, { file, from });
  const shown = output.split('\n').length;
  file.nextLine = from + shown;
  file.wasRead = true;
  file.touchedAt = scene.position + output.length / CHARACTERS_PER_TOKEN;
  const isWhole = from === 0 && shown < LINES_OF_WHOLE;
  const { version } = file;
  return {
    input: {
      [keys.path]: shownPath(scene, file.path),
      ...(!isWhole && { offset: from + 1, limit: shown }),
    },
    output,
    isCurrent: () => file.version === version,
  };
}

/** The lines of a file from one on, as the agent sees them. */
export function showLines(
  scene: Scene,
  call: CallPlan,
  { file, from }: { readonly file: ProjectFile; readonly from: number },
): string {
  const { workload } = scene;
  return compose(call.output, fileSource(scene, { file, from, style: workload.style.lines }));
}

/** A file read before, about as far back as files usually are, or one whose path is as long as the arguments are to be. */
function fileToRead(scene: Scene, call: CallPlan): ProjectFile {
  const { workload, draw, project, position, reads } = scene;
  const { keys } = workload.style;
  const bare = { [keys.path]: shownPath(scene, '') };
  const room = roomBeside(call.arguments.characters - MEAN_RANGE_CHARACTERS, bare);
  if (!isRepeat(reads, draw)) return project.fresh(room);
  const distance = valueAt(workload.reuse.rereadTokens, draw.share());
  return project.touched({ position, distance, wasRead: true }) ?? project.fresh(room);
}

function fileSource({ project }: Scene, { file, from, style }: Shown): TextSource {
  let index = from;
  const line = () => `${prefixOf(style, index + 1)}${lineAt(file, index, project.words)}\n`;
  return {
    peek: line,
    take: () => {
      index += 1;
    },
    hold: (sentence) => {
      replaceLines(file, { from: index, count: 0 }, [`${file.language.comment}${sentence}`]);
      const text = line();
      index += 1;
      return text;
    },
  };
}

function prefixOf(style: AgentStyle['lines'], number: number): string {
  if (style === 'arrow') return `${String(number).padStart(NUMBER_WIDTH)}→`;
  return style === 'bar' ? `${String(number).padStart(BAR_WIDTH, '0')}| ` : '';
}
