import type { TodoState } from '../../../session/facts.ts';
import { cue } from '../match/cue.ts';
import type { NamedCue } from './nearest-cue.ts';

const NOT = "(?:not|\\w{2,8}n['’]t|never)";
const WENT = '(?:done|started|begun|complete|completed|finished|implemented|resolved|addressed)';
const GONE = '(?:needed|required|necessary|planned|wanted|relevant)';
const OPEN = '(?:pending|open|outstanding|unfinished|incomplete|to ?-?do|a todo)';

/** Words that tell how far a task has come; a longer one counts before those that it has in it. */
export const STATE_CUES: readonly NamedCue<TodoState>[] = [
  [
    'done',
    cue(
      [
        'done|completed?|finished|accomplished|implemented|resolved',
        `no longer (?:\\w+ )?${OPEN}|${NOT} (?:\\w+ )?${OPEN} any ?(?:more|longer)`,
        'erledigt|fertig(?:gestellt)?|abgeschlossen|nicht mehr (?:offen|ausstehend)',
      ],
      [
        '\\[x\\]|✅|✓|✔|☑',
        '(?<!не )(?:выполнен|сделан|завершен|завершён)|(?<!\\p{L})готово',
        '已完成|完成|做完|完了|済み?|終わ',
      ],
    ),
  ],
  [
    'cancelled',
    cue(
      [
        'cancell?ed|dropped|abandoned|skipped|scrapped|descoped|called off|g[ai]ven? up|wontfix|out of scope',
        `no longer ${GONE}`,
        `${NOT} (?:be )?${GONE}`,
        'no (?:longer a |more )?need(?: to(?: do)?| for)?',
        "(?:(?:will|would|shall) not|won['’]t|wouldn['’]t|shan['’]t) (?:ever )?(?:do|be done|be doing|happen|implement|be implemented)",
        "(?:(?:am|are|is) not|(?:are|is)n['’]t) (?:doing|going to(?: do)?|to be done)",
        `decided (?:against|${NOT} to(?: do)?)`,
        'abgebrochen|verworfen|gestrichen|entfällt|nicht mehr (?:nötig|notwendig|erforderlich|gebraucht)|(?:wird|werden) nicht (?:gemacht|umgesetzt)',
      ],
      [
        '\\[-\\]|❌|🚫',
        'отмен[её]н|(?<!\\p{L})(?:больше не (?:нуж|треб)|не буд(?:ем|ет|ут) (?:дела|выполн)|отказал)\\p{L}*',
        '取消|不再需要|不需要了?|不做了|不再做|不会做|不打算做|放弃|中止|取り消し|キャンセル|やらない|行わない|不要|やめ',
      ],
    ),
  ],
  [
    'in_progress',
    cue(
      [
        'in[- _]progress|ongoing|wip|work(?:ing|ed) on|under way|underway|started|begun|halfway',
        '(?:almost|nearly|partly|partially|half) (?:done|finished|complete|completed|implemented)',
        'in arbeit|begonnen|angefangen',
      ],
      [
        '\\[[~/]\\]|🔄|🚧',
        '(?<!\\p{L})в (?:работе|процессе)|(?<!не )(?<!\\p{L})начат',
        '进行中|進行中|正在|部分完成|作業中|対応中',
      ],
    ),
  ],
  [
    'pending',
    cue(
      [
        'pending|open|(?<!as )planned|upcoming|to ?-?do|todo|incomplete|unfinished|remaining|remains?|outstanding|next(?: steps?)?|still (?:(?:have|has|need|needs) )?to',
        `${NOT} (?:\\w+ ){0,2}?${WENT}`,
        `(?:to be|yet to(?: be)?) ${WENT}|(?:has|have) yet to`,
        'blocked|on hold|postponed|deferred|waiting',
        'offen|nicht (?:fertig|erledigt|begonnen|angefangen|abgeschlossen)|noch nicht|steht noch aus|ausstehend',
      ],
      [
        '\\[ ?\\]|☐|⏳|⌛|⏸|⬜|🔲',
        'открыт|(?<!\\p{L})(?:ещё |еще )?не (?:выполн|сдела|начат|заверш|готов)\\p{L}*|осталось',
        '(?:还|還|尚)?(?:没有?|沒有?|未)(?:能)?(?:完成|做完|做|开始|開始|处理|動|动)|未(?:完了|着手|済)|待办|待辦|待处理|待完成|尚未|还没有?|残り|残って|これから|接下来',
        '(?:まだ)?(?:終わ(?:って|ら)|完了(?:して)?|済んで|着手(?:して)?|始め(?:て|られて)?)(?:は)?い?な(?:い|かった)|まだ|未対応',
      ],
    ),
  ],
];
