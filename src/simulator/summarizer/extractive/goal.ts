import type { Head, Passage } from './head.ts';
import { BEFORE_HEAD, type Item, WEIGHTS } from './item.ts';
import { toShortLine } from './plain-text.ts';

/** Room for the request that began the session. */
const FIRST_REQUEST_CHARS = 600;
/** Room for each later request. */
const REQUEST_CHARS = 300;
/** A request that only lets the model go on. */
const NOD =
  /^(?:ok(?:ay)?|yes|yep|sure|thanks?(?: you)?|good|great|perfect|go on|go ahead|continue|proceed|好的?|继续|可以|是的|谢谢|はい|続けて(?:ください)?|ありがとう(?:ございます)?)[\s.!。！]*$/iu;

/** What the user wants: the first request of all, and the newer ones. */
export function findGoals(head: Head, previous: readonly string[]): readonly Item[] {
  const earlier = previous.map((text) => ({ text, weight: WEIGHTS.useful, at: BEFORE_HEAD }));
  const requests = head.requests.filter(({ text }) => !NOD.test(text.trim()));
  const newest = requests.at(-1);
  const later = requests.map((request) => toGoal(request, newest));
  const [first, ...others] = [...earlier, ...later];
  return first === undefined
    ? []
    : [{ ...lengthen(first, head), weight: WEIGHTS.essential }, ...others];
}

function toGoal(request: Passage, newest: Passage | undefined): Item {
  const { text, at } = request;
  const weight = request === newest ? WEIGHTS.vital : WEIGHTS.useful;
  return { text: toShortLine(text, REQUEST_CHARS), weight, at };
}

/** The first request gets more room than the others if it stands in the head itself. */
function lengthen(first: Item, head: Head): Item {
  const request = head.requests.find(({ at }) => at === first.at);
  return request === undefined
    ? first
    : { ...first, text: toShortLine(request.text, FIRST_REQUEST_CHARS) };
}
