import { CERTAINTIES, type SourceFile } from '../../src/simulator/session/format.ts';
import { sessionFormats } from '../../src/simulator/session/formats.ts';

/** Names of the surest formats that match a file; a recording has exactly one. */
export function surestMatches(file: SourceFile): readonly string[] {
  const matches = Object.entries(sessionFormats).filter(([, format]) => format.detect(file));
  const surest = CERTAINTIES.find((each) =>
    matches.some(([, format]) => (format.certainty ?? 'mark') === each),
  );
  return matches
    .filter(([, format]) => (format.certainty ?? 'mark') === surest)
    .map(([name]) => name);
}
