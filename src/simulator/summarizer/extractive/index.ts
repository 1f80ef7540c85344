import { headTexts } from '../head-text.ts';
import { DEFAULT_CAP_TOKENS } from '../output-cap.ts';
import type { Message, Summarizer, SummaryRequest } from '../summarizer.ts';
import { fitSections } from './fit.ts';
import { readTemplate } from './headings.ts';
import { BEFORE_HEAD, type Item, WEIGHTS } from './item.ts';
import { toShortLine } from './plain-text.ts';
import { rememberAnswers } from './remember-answers.ts';
import { readSections } from './sections.ts';
import { type BySection, SECTION_NAMES } from './template.ts';

const ANY_TEXT_CHARS = 300;

/** The summarizer that needs no model: it fills the template with sentences, commands and paths of the head. */
export function createExtractive(): Summarizer {
  return rememberAnswers({
    name: 'extractive',
    summarise: (request, tools) => ({
      state: 'finished',
      text: fitSections(readSectionsOrAny(request), {
        capTokens: request.outputCapTokens ?? DEFAULT_CAP_TOKENS,
        countTokens: (text) => tools.countTokens(text),
        template: readTemplate(request.prompt),
      }),
      finish: 'stop',
    }),
  });
}

/** A head in which nobody asked, answered or did anything gives its first words as the goal. */
function readSectionsOrAny(request: SummaryRequest): BySection<readonly Item[]> {
  const sections = readSections(request);
  const isEmpty = SECTION_NAMES.every((name) => sections[name].length === 0);
  return isEmpty ? { ...sections, goal: findAnyText(request.messages) } : sections;
}

function findAnyText(messages: readonly Message[]): readonly Item[] {
  for (const raw of headTexts(messages)) {
    const text = toShortLine(raw, ANY_TEXT_CHARS);
    if (text !== '') return [{ text, weight: WEIGHTS.vital, at: BEFORE_HEAD }];
  }
  return [];
}
