import { badOption } from '../../simulator/errors.ts';
import type { RunRecord } from '../../simulator/metrics/record.ts';
import { nearestNames, quoted } from '../../simulator/names.ts';
import type { Saved } from '../../simulator/report/saved/saved.ts';

/** What `--with-text` says in the help of a command. */
export const WITH_TEXT = {
  run: 'keep the texts of this session in its events or page; can be repeated',
  report: 'show the texts of this session, if its run kept them; can be repeated',
} as const;

const LONGEST_NAME = 200;

/** Which sessions texts are kept of. Throws where there is no place for them. */
export function chooseTexts(
  names: readonly string[] = [],
  { isKept }: { readonly isKept: boolean },
): (session: string) => boolean {
  if (names.length > 0 && !isKept) {
    throw badOption(
      "Expected '--with-text' to come with '--events' or '--format html', got neither.",
    );
  }
  const wanted = new Set(names);
  return (session) => wanted.has(session);
}

/** Throws at a name that no session of these files can have: it begins with the path of none of them. */
export function checkNamesOfFiles(names: readonly string[] = [], files: readonly string[]): void {
  const paths = new Set(files);
  const astray = names.filter((name) => !paths.has(name) && !paths.has(fileOf(name)));
  const [reason] = describeUnnamed(
    astray,
    files.map((session) => ({ session })),
  );
  if (reason !== undefined) throw badOption(reason);
}

/** A sentence for each name that no session has. */
export function describeUnnamed(
  names: readonly string[] = [],
  runs: readonly Pick<RunRecord, 'session'>[],
): readonly string[] {
  const sessions = [...new Set(runs.map(({ session }) => session))];
  return names
    .filter((name) => !sessions.includes(name))
    .map((name) => {
      const nearest = nearestNames(name, sessions).join(', ');
      const hint = nearest === '' ? '' : `; nearest: ${nearest}`;
      return `Expected '--with-text' to name a session, got ${quoted(name, LONGEST_NAME)}${hint}.`;
    });
}

/** Throws at each name that no session of a saved report has, and at each session whose texts are not there. */
export function checkTexts(names: readonly string[] = [], saved: Saved): void {
  const missing = describeMissingTexts(names, saved);
  if (missing.length > 0) throw badOption(missing.join('\n'));
}

function describeMissingTexts(names: readonly string[], saved: Saved): readonly string[] {
  const views = saved.kind === 'runs' || saved.kind === 'sweep' ? [...saved.views] : [];
  const runs = runsOf(saved);
  const sessions = new Set(runs.map(({ session }) => session));
  const known = new Set(views.flatMap(([run, { texts }]) => (texts ? [run.session] : [])));
  const missing = names
    .filter((name) => sessions.has(name) && !known.has(name))
    .map(
      (name) =>
        `Expected texts of ${quoted(name, LONGEST_NAME)}, but none were kept (run --with-text ${quoted(name, LONGEST_NAME)} --events FILE).`,
    );
  return [...describeUnnamed(names, runs), ...missing];
}

/** The path in a name that may have a place in its file behind it. */
function fileOf(name: string): string {
  const end = name.lastIndexOf('#');
  return end < 0 ? name : name.slice(0, end);
}

function runsOf(saved: Saved): readonly Pick<RunRecord, 'session'>[] {
  if (saved.kind === 'runs') return saved.report.runs;
  return saved.kind === 'sweep' ? saved.rows : [];
}
