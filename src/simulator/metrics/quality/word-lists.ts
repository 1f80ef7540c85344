/** Short lists of words that deny, lift, adopt or date what is said, by language. */

import { remembered } from '../../lib/text.ts';

/** A language that has lists of words. */
export type WordLanguage = keyof typeof WORDS;

/** The effect of a word on the value beside it. */
export type WordClass = keyof (typeof WORDS)['en'];

/**
 * Patterns of words. `not` denies the value that follows, `gone` the nearest one, `after` the one before.
 * `undo` and `exceed` turn a denial round, and `limit` may. `held` says that something does so no more, and `past`, besides, that
 * something else came. `touch`, `may`, `ban`, `lift` and `applies` are about bans,
 * `reject` and `adopt` about options, `done`, `open`, `doing` and `cancelled` about tasks. `idiom` looks like a denial and is none.
 */
const WORDS = {
  en: {
    idiom:
      'did(?:n.t| not) change|ha(?:s|ve)(?:n.t| not) changed|no change|not only|not just|no doubt|no problem|no matter|nothing but|why not',
    not: "let alone|not|no|never|none|nobody|nothing|neither|nor|cannot|\\w+n't|instead of|rather than|against|unlike|replac(?:es|ing)|supersed(?:es|ing)",
    gone: "rid of|fell short|no longer|(?:not|n't) any ?more|any ?more|stopped \\w+ing|dropped|abandon\\w*|reject\\w*|discard\\w*|cancel\\w*|revok\\w*|withdr\\w+|retired?|obsolete|invalid\\w*|void|wrong(?:ly)?|incorrect|false|mistaken\\w*|outdated|revert\\w*|roll(?:ed|ing)? back|undone|undid|short of|far from|nowhere near|ruled out|thrown out|turned (?:\\w+ )?down|off the table|out of the question|decided against|g[ai]ven? (?:\\w+ )?up|called off|struck|crossed out|moved away|backed out|unrelated|scrapped|vetoed|lifted|yet to|retract\\w*|repeal\\w*|discontinu\\w*|deprecat\\w*|phased out|shelved|walked back|overturned|overruled|ditched|axed|bogus|untrue|refut\\w*|disprov\\w*|misattribut\\w*|misread|t[ao]\\w+ back|f[ea]ll through|f[ea]ll back|dislik\\w*",
    after: 'replaced|superseded|gave way|made way|does not hold|is history|of the past',
    undo: 'without|forget\\w*|skip\\w*|omit\\w*|miss(?:ing|ed)?|bypass\\w*|unless|other than|except',
    limit: 'until|before',
    exceed: 'exceed\\w*|more|less|fewer|later than|above|below|beyond|past|over|under|surpass\\w*',
    none: 'none|no',
    doing: 'in progress|ongoing|under ?way|working on|started|begun|doing|half',
    held: 'used to be|formerly|once was|was once',
    past: 'formerly|former|previous\\w*|earlier|before|originally|initially|at first|used to|until then|was|were|had|old|then|supersed\\w*|replac\\w*|outdated|instead of|no longer|not|history|until',
    touch:
      'touch\\w*|chang\\w*|edit\\w*|modif\\w*|alter\\w*|rewrit\\w*|renam\\w*|delet\\w*|updat\\w*|work on|tamper\\w*|mess\\w*',
    may: 'may|might|can|free|freely|allowed|permitted|fine|safe|ok|okay|welcome|go ahead|again|editable|open for',
    ban: "freeze|freezes|frozen|forbid\\w*|forbidden|ban|bans|banned|prohibit\\w*|off[- ]limits|hands off|untouched|untouchable|avoid\\w*|protect\\w*|lock(?:ed|s)?|hold|stop\\w*|halt\\w*|as (?:it is|is)|alone|read-only|refrain\\w*|must not|do not|don't",
    lift: 'lifted|ended|is over|expired|thawed|unfrozen|released|exempt\\w*|excluded|suspended|no longer|waived|removed',
    applies:
      'appl\\w+|cover\\w*|hold|holds|affect\\w*|concern\\w*|extend\\w*|includ\\w*|in force|bind\\w*|subject to',
    reject:
      "reject\\w*|out|dropped|discard\\w*|against|ruled|dismiss\\w*|declin\\w*|not|no|never|\\w+n't|without|avoid\\w*|unsuitable|abandon\\w*|turned (?:\\w+ )?down|passed over|vetoed|eliminat\\w*|exclud\\w*|refus\\w*|failed",
    adopt:
      'us(?:e|es|ed|ing)|adopt\\w*|chos\\w+|choos\\w+|select\\w*|picked?|went with|go with|going with|settled|decided (?:on|for|to)|in favou?r of|approv\\w*|accept\\w*|winner|won|integrat\\w*|install\\w*|prefer\\w*|stays?|keep',
    done: 'done|finished|complete|completed|closed|shipped|resolved|ticked|checked off|accomplished|wrapped up|through',
    open: 'pending|open|to[- ]?do|todo|next|remain\\w*|left|still|outstanding|waiting|not started|has to|have to|must|needs?|later|upcoming|unfinished|incomplete|yet|should',
    cancelled:
      "(?:no longer|not) needed|not necessary|cancel\\w*|dropped|abandon\\w*|called off|scrapped|won't|will not be|given up|withdrawn|obsolete|struck",
  },
  de: {
    idiom:
      '(?:hat|haben) sich nicht geändert|nicht geändert hat|nicht nur|nicht zuletzt|nicht vergessen|kein problem|nicht umsonst',
    not: 'nicht|kein\\w*|nie|niemals|niemand\\w*|statt|anstatt|anstelle|gegen|weder|ersetzt(?! durch)',
    gone: 'verfehl\\w*|verpass\\w*|nicht (?:mehr|länger|weiter)|nichts|verworfen|verwarf\\w*|abgelehnt|verabschiedet|vom tisch|abgerückt|abgekommen|abgewählt|abgeschafft|aufgegeben|gestrichen|abgebrochen|zurück(?:gesetzt|gezogen|genommen|gerollt)\\w*|rückgängig|ungültig\\w*|überholt|veraltet|hinfällig|falsch\\w*|irrtümlich\\w*|widerrufen|widerlegt|aufgehoben|entfällt|entfallen|eingestellt|(?:fallen ?)?gelassen|passé|verzichte\\w*|ausgeschlossen|storniert|gekippt|abgesagt|begraben|eingestampft|obsolet\\w*|unwahr|unzutreffend|ausgemustert|ad acta|abgesehen|noch lange|fern\\w*|hat ausgedient',
    after: 'ersetzt durch|abgelöst|gewichen|trifft nicht zu|stimmt nicht',
    undo: 'ohne|verg[ei]ss\\w*|auslass\\w*|auszulassen|überspring\\w*|außer',
    limit: 'bevor|ehe|bis|vor|solange',
    exceed:
      'überschr\\w*|überst(?:eig|ieg)\\w*|mehr als|weniger als|größer|kleiner|höher|über|unter|später als',
    none: 'kein\\w*',
    doing: 'in arbeit|läuft|laufend|begonnen|angefangen|dabei|teilweise',
    held: 'ehemals|einst|früher (?:war|galt)|war früher',
    past: 'früher\\w*|vorher\\w*|zuvor|ursprünglich\\w*|anfangs|anfänglich\\w*|zunächst|zuerst|bisher\\w*|ehemal\\w*|alt\\w{0,2}|war|waren|galt|wollte\\w*|vormals|einst|ersetzt|abgelöst|statt|anstelle|nicht|von',
    touch:
      '\\w*(?:änder|geänder|fass|gefass|bearbeit|berühr|antast|modifizier|umbenenn|anrühr|lösch)\\w*|ran|daran',
    may: 'darf\\w*|dürf\\w*|kann\\w*|können|frei\\w*|erlaubt\\w*|wieder|gestattet|zulässig|unbedenklich|gern|ruhig',
    ban: '\\w*stopp?s?|gestoppt|sperre\\w*|gesperrt|eingefroren\\w*|verboten\\w*|tabu|finger weg|unangetastet|unberührt|unverändert|gesch[üu]tzt|verbot\\w*|untersagt|meiden|ruht|pausiert|in ruhe',
    lift: 'aufgehoben|beendet|vorbei|ausgelaufen|abgelaufen|gelöst|entsperrt|freigegeben|ausgenommen|nicht mehr|erledigt|gefallen',
    applies:
      'gilt|gelten|galt|betrifft|betreffen|betroffen|erfasst|umfasst|greift|fällt unter|unterliegt|bezieht',
    reject:
      'schied|schieden|verworfen|verwarf\\w*|abgelehnt|ablehn\\w*|nicht|kein\\w*|niemand\\w*|nie|gegen|raus|ausgeschieden|ausgeschlossen|abgekommen|abgerückt|durchgefallen|durchfallen|verzicht\\w*|aussortiert|gestrichen|ungeeignet|vom tisch|scheidet|ausscheid\\w*|abgewählt|fallen ?gelassen|ohne|untauglich|aufgegeben|verabschiedet',
    adopt:
      '\\w*eingesetzt|einsetz\\w*|setzen|setzt|verwend\\w*|nutz\\w*|benutz\\w*|genutzt|gewählt|ausgewählt|wähl\\w*|wahl|entschieden|genommen|nehmen|nimmt|bleib\\w*|übernommen|übernehm\\w*|zuschlag|angenommen|eingeführt|eingebaut|favorit\\w*|geeinigt',
    done: 'erledigt|fertig\\w*|abgehakt|abgeschlossen|getan|durch|vollbracht|geschafft|vollendet|beendet|gelöst',
    open: 'offen\\w*|ausstehend\\w*|steht|stehen|noch|nächst\\w*|muss|müssen|todo|zu tun|bleibt|wartet|später|anstehend\\w*|unerledigt|fehlt|sollte?n?',
    cancelled:
      '(?:nicht mehr|nicht) nötig|überflüssig|abgebrochen|gestrichen|verworfen|abgesagt|storniert|entfällt|entfallen|hinfällig|aufgegeben|fallen ?gelassen|nicht mehr',
  },
  fr: {
    idiom:
      'n.a pas changé|non seulement|pas seulement|n.oubli\\w+ pas|ne pas oublier|sans doute|n.est-ce pas|pas de problème',
    not: 'pas|personne|jamais|aucun\\w*|rien|au lieu d\\w?|plutôt qu\\w?|contre|ni|remplace|hormis',
    gone: 'plus (?=\\w+é|utilis|valable|le |la |en |\\uE000)|n\\W(?:e |est |a |y )?\\w* ?plus|ne (?:\\S+ ){1,3}plus|abandonn\\w*|rejet\\w*|écart\\w*|annul\\w*|refus\\w*|retir\\w*|invalid\\w*|caduc\\w*|obsolète\\w*|périm\\w*|faux|fausse\\w*|erroné\\w*|renonc\\w*|supprim\\w*|révoqu\\w*|loin d\\w*|levée?',
    after: 'remplacée? par|supplanté\\w*',
    undo: 'sans|oubli\\w*|omettre|sauf|à moins',
    limit: 'avant|que',
    exceed: 'dépass\\w*|excéd\\w*|plus de|moins de|au-delà',
    none: 'aucun\\w*|pas de|pas d',
    doing: 'en cours|commencé\\w*|entamé\\w*',
    held: 'autrefois|jadis',
    past: 'avant|auparavant|ancien\\w*|initialement|d.abord|précéd\\w*|était|étaient|remplac\\w*|autrefois|jadis|au lieu',
    touch: 'touch\\w*|modifi\\w*|chang\\w*|édit\\w*|altér\\w*|renomm\\w*',
    may: 'peut|peuvent|pouvez|libre\\w*|autoris\\w*|permis\\w*|de nouveau|à nouveau',
    ban: 'gel\\w*|interdi\\w*|bloqu\\w*|intouchable\\w*|protég\\w*|tel quel|intact\\w*|défense|éviter|verrouill\\w*|suspen\\w*',
    lift: 'levée?|terminée?|fini\\w*|expiré\\w*|exempté?\\w*|débloqu\\w*|libéré\\w*',
    applies: 's.appliqu\\w*|concern\\w*|couvr\\w*|vise|touche|vaut|en vigueur',
    reject:
      'rejet\\w*|écart\\w*|refus\\w*|pas|aucun\\w*|jamais|abandonn\\w*|exclu\\w*|élimin\\w*|sans|contre|renonc\\w*|plus',
    adopt:
      'adopt\\w*|choisi\\w*|choix|retenu\\w*|utilis\\w*|sélectionn\\w*|opté|accept\\w*|prend\\w*|gard\\w*',
    done: 'fait\\w*|terminé\\w*|fini\\w*|achevé\\w*|clos\\w*|accompli\\w*|bouclé\\w*|complét\\w*',
    open: 'à faire|en attente|reste\\w*|encore|prochain\\w*|doit|faut|ouvert\\w*|ensuite|pas encore',
    cancelled: 'annul\\w*|abandonn\\w*|supprim\\w*',
  },
  es: {
    idiom:
      'no (?:ha )?cambi(?:a|ó|ado)|no solo|no sólo|no olvid\\w*|sin duda|no obstante|no importa',
    not: 'no|nunca|jamás|ningun\\w*|ningún|nadie|nada|tampoco|ni|en vez de|en lugar de|contra|reemplaza|sustituye',
    gone: 'ya no|descart\\w*|rechaz\\w*|abandon\\w*|anul\\w*|cancel\\w*|retir\\w*|inválid\\w*|obsolet\\w*|revert\\w*|revoc\\w*|equivocad\\w*|erróne\\w*|fals\\w*|renunci\\w*|elimin\\w*|levantad\\w*|lejos de|dejó de',
    after: 'reemplazad\\w* por|sustituid\\w* por',
    undo: 'sin|olvid\\w*|omit\\w*|salvo|excepto|a menos',
    limit: 'antes|hasta',
    exceed: 'super\\w*|exced\\w*|sobrepas\\w*|más de|menos de|rebas\\w*',
    none: 'ningun\\w*|ningún|no hay|no tiene\\w*',
    doing: 'en curso|en marcha|empezad\\w*|haciendo',
    held: 'antes era|solía\\w*',
    past: 'antes|anterior\\w*|inicialmente|primero|antigu\\w*|era|fue|sustitu\\w*|reemplaz\\w*|previ\\w*|en lugar|originalmente',
    touch: 'toc\\w*|toqu\\w*|cambi\\w*|modific\\w*|modifiqu\\w*|edit\\w*|alter\\w*|renombr\\w*',
    may: 'pued\\w*|libre\\w*|permit\\w*|permis\\w*|autoriz\\w*|de nuevo|otra vez',
    ban: 'congel\\w*|prohib\\w*|bloque\\w*|intocable\\w*|intact\\w*|protegid\\w*|evitar|vedad\\w*|parad\\w*|suspendid\\w*',
    lift: 'levant\\w*|termin\\w*|acab\\w*|venci\\w*|exent\\w*|liberad\\w*|desbloque\\w*|descongel\\w*',
    applies: 'aplica\\w*|afecta\\w*|cubre\\w*|incluye\\w*|abarca\\w*|rige|vale',
    reject:
      'rechaz\\w*|descart\\w*|no|nunca|ningun\\w*|ningún|nadie|abandon\\w*|exclu\\w*|elimin\\w*|contra|sin|desech\\w*',
    adopt:
      'adopt\\w*|elegi\\w*|elig\\w*|escog\\w*|us[aáeo]\\w*|utiliz\\w*|seleccion\\w*|acept\\w*|opt\\w*|qued\\w*',
    done: 'hech[oa]\\w*|terminad\\w*|complet\\w*|acabad\\w*|list[oa]|cerrad\\w*|finaliz\\w*',
    open: 'pendiente\\w*|por hacer|falta\\w*|queda\\w*|todavía|aún|próxim\\w*|siguiente|hay que|debe\\w*|abiert\\w*',
    cancelled: 'cancel\\w*|anul\\w*|abandon\\w*|descart\\w*',
  },
  ru: {
    idiom: 'не измен\\p{L}*|не только|не забы\\p{L}*',
    not: 'не|нет|ни|нельзя|никогда|никто|никак\\p{L}*|вместо|против|заменя\\p{L}*|незач\\p{L}*',
    gone: 'больше не|уже не|отказ\\p{L}*|отмен\\p{L}*|отклон\\p{L}*|отверг\\p{L}*|отвер\\p{L}*|забрак\\p{L}*|снят\\p{L}*|снял\\p{L}*|устар\\p{L}*|недейств\\p{L}*|ошибоч\\p{L}*|неверн\\p{L}*|откат\\p{L}*|откач\\p{L}*|отброш\\p{L}*|отозва\\p{L}*|аннулир\\p{L}*|прекра\\p{L}*|вычеркн\\p{L}*|далек\\p{L}*|переста\\p{L}*|исключ\\p{L}*',
    after: 'заменен\\p{L}* на|заменён\\p{L}* на|сменил\\p{L}*',
    undo: 'без|забы\\p{L}*|пропуск\\p{L}*|кроме',
    limit: 'пока|до|перед|прежде',
    exceed: 'превы\\p{L}*|больше|более|менее|меньше|позднее|свыше|выше',
    none: 'нет|ни одн\\p{L}*',
    doing: 'в процессе|в работе|начат\\p{L}*|идёт|делаем',
    held: 'раньше был\\p{L}*|прежде',
    past: 'раньше|ранее|прежн\\p{L}*|прежде|сначала|был\\p{L}*|вначале|стар\\p{L}*|замен\\p{L}*|отмен\\p{L}*|вместо|не|изначально|первоначальн\\p{L}*|уже не',
    touch: '\\p{L}*(?:измен|меня|трога|трону|прав(?:и|л|ь)|редакт|каса|переимен)\\p{L}*',
    may: 'можно|может|разреш\\p{L}*|свободно|снова|допус\\p{L}*|позвол\\p{L}*',
    ban: 'заморо\\p{L}*|замор\\p{L}*|запре\\p{L}*|запрещ\\p{L}*|нельзя|останов\\p{L}*|стоп\\p{L}*|заблок\\p{L}*|неприкос\\p{L}*|защищ\\p{L}*|под замком',
    lift: 'снят\\p{L}*|снял\\p{L}*|отмен\\p{L}*|законч\\p{L}*|заверш\\p{L}*|истек\\p{L}*|разморо\\p{L}*|больше не',
    applies:
      'действу\\p{L}*|распростран\\p{L}*|касает\\p{L}*|относ\\p{L}*|затраг\\p{L}*|охват\\p{L}*',
    reject:
      'отклон\\p{L}*|отверг\\p{L}*|отвер\\p{L}*|забрак\\p{L}*|отказ\\p{L}*|не|нет|ни|отброш\\p{L}*|исключ\\p{L}*|против|отмен\\p{L}*|отсе\\p{L}*|отпал\\p{L}*|без|нельзя',
    adopt:
      'использ\\p{L}*|выбр\\p{L}*|выбор\\p{L}*|принят\\p{L}*|приня\\p{L}*|берём|взял\\p{L}*|взят\\p{L}*|останов\\p{L}*|утверд\\p{L}*|внедр\\p{L}*|подключ\\p{L}*|примен\\p{L}*',
    done: 'сделан\\p{L}*|готов\\p{L}*|закрыт\\p{L}*|заверш\\p{L}*|законч\\p{L}*|выполн\\p{L}*|решен\\p{L}*|закончен\\p{L}*',
    open: 'осталось|остаёт\\p{L}*|остает\\p{L}*|предсто\\p{L}*|ещё|еще|нужно|надо|ожида\\p{L}*|откры\\p{L}*|далее|следующ\\p{L}*|в очереди|не начат\\p{L}*',
    cancelled: 'отмен\\p{L}*|снят\\p{L}*|брош\\p{L}*|отказ\\p{L}*',
  },
  zh: {
    idiom:
      '没变|没有变|不变(?!更)|未变|没有变化|不仅|不過|不过|不同|不少|不断|不久|不错|不止|不管|不论|无论|未来|别的|特别|区别|分别|级别|识别|类别|差别|个别|莫非|没错|非常|不得不|不要忘|别忘|不要漏|别漏|不能漏|不能少|是否|否则',
    not: '不|没|未|无|别|勿|非|而非|并非|代替|取代|替换(?!为|成)|而不是',
    gone: '不再|已经?不|取消|放弃|废弃|废除|否决|作废|无效|撤销|撤回|撤掉|回滚|回退|推翻|弃用|驳回|划掉|淘汰|失效|终止|搁置|打消|停用|解除|错误地|有误|远未|差.{0,4}到|差得远|差得多|叫停|作罢|撤消|回绝|打回|不实|误传|误以为|弄错|搞错|记错|讨厌',
    after: '被.{0,12}(?:取代|替换|代替)|已过时|不成立|不算数',
    undo: '忘|漏|遗漏|缺少|跳过|除非|(?<![删清排移解])除了|以外',
    limit: '之前|以前',
    exceed: '超|多于|少于|大于|小于|低于|高于|晚于',
    none: '没有|没|无',
    doing: '正在|进行中|在做|做到一半|已开始',
    held: '曾经|曾是|原本|原先是|一度',
    past: '之前|以前|原来|原先|原本|原为|此前|曾|最初|起初|先前|旧|本来|一度|改为|改成|改用|换成|替换|取代|后来|过去|早先|不再|取消|作废|而不是',
    touch: '改|动|碰|修改|更改|变更|编辑|触|删|写|调整',
    may: '可以|可随|允许|能够|可能?改|随意|自由|放心|重新|恢复|又可|能改|能动',
    ban: '冻结|禁|不得|不许|不准|不能|停|锁定|保护|勿|切勿|原样|避开|封',
    lift: '解除|解冻|取消|结束|到期|放开|解封|豁免|不再|撤销',
    applies: '适用|涉及|包括|覆盖|影响|针对|生效|管到|包含|在内',
    reject:
      '被否|否决|放弃|排除|淘汰|不用|不采|未采|没采|没用|没有用|未用|拒绝|弃用|不考虑|不选|没选|未选|没被|否定|剔除|不合适|出局|落选|不行|不|没|未|弃|pass',
    adopt:
      '采用|选定|选用|使用|决定用|改用|选择|选了|采纳|启用|敲定|用上|接受|选中|就用|用的是|用了|定为|引入',
    done: '完成|做完|已完|关闭|搞定|结束|完毕|办好|做好|已做|完工',
    open: '待|未|还|尚|接下来|下一步|剩|需要|没做|没有做|等|仍|要做',
    cancelled: '不用做|不需要|用不着|取消|放弃|不做|作废|撤销|搁置|终止',
  },
  ja: {
    idiom:
      '変わらな(?:い|かった)|変わって(?:い)?な(?:い|かった)|変わりな[いく]|ざるを[得え]な(?:い|かった)|やむを[得え](?:な(?:い|かった)|ず)|だけでなく|のみならず|かもしれない|に違いない|間違いな|なければならな|なければいけな|なくてはな|ないといけな|なければなりません|ないと困る|忘れない|忘れず|しかない|欠かさ|にほかならな|足りない|必ず|まず|はず|わずか|ならず|すぎない',
    not: '未だ|未達|非',
    gone: 'やめ|止め(?=た|て|る)|中止|取り消|取消|取りやめ|撤回|取り下げ|却下|廃止|破棄|無効|見送|断念|白紙|不採用|外れ|外し|外さ|誤り|間違|巻き戻|差し戻|撤廃|棄却|覆[さっ]|立ち消え|反故|否定され|失効|誤解|勘違い|諦め|手前|ロールバック|放棄|否決|没に|ボツ|打ち切|使わなくな|無関係|関係な|もう.{0,30}な[いく]',
    after:
      '(?<!し)ではな|じゃな|でなく|(?<![すく])ない|なかった|なくな|なく(?=、|。|て|$)|ません|ませんで|ず(?=に|、|。|$)|ずじまい|ぬ(?=。|$)|に(?:取って|とって)代わられ|置き換えられ',
    undo: 'ない限り|なければ|ないうちは|忘れ|抜き|なし|飛ばさ|省か|せずに|ずに|以外',
    limit: '前に|までは',
    exceed: '超え|上回|下回|以上|以下|以内',
    none: 'ない|なし|ありません',
    doing: '作業中|進行中|対応中|途中|着手済|取り組',
    held: 'かつて|以前は',
    past: '以前|前は|前の|もともと|元々|元は|当初|最初|かつて|従来|旧|だった|でした|変更|変わ|切り替|置き換|改め|代わり|ではな|やめ|取り消|から',
    touch: '変更|変え|触|さわ|いじ|編集|修正|書き換|手を|改変|動か',
    may: '(?<!は)してよい|てよい|てもよい|ても良い|てもいい|ていい|て構わない|ても構わない|て構いません|ても構いません|問題な[いく]|可能|できる|できます|許可|自由|可$|可。|解禁|再開|差し支えな[いく]',
    ban: '凍結|禁止|禁じ|停止|ロック|保護|触るな|不可|だめ|ダメ|厳禁|いけな|ならな|な(?=。|$)|現状のまま|そのまま|避け|控え|まま',
    lift: '解除|解けた|解かれ|終了|終わ|期限切れ|対象外|除外|外れ|外さ|解禁',
    applies: '適用|対象|影響|含ま|及ば|及ん|有効|効い|かから|当たら|該当',
    reject:
      '却下|不採用|見送|やめ|除外|外し|外れ|外さ|落選|没|ボツ|断念|採用しな|採用せ|採用され(?:な|ま)|使わな|使いませ|ない|なかった|ません|ず(?=に|、|。)|退け|否決|拒否|候補から|なし|避け|禁止|落と|落ち|だめ|ダメ',
    adopt:
      '採用|使う|使用|使い|使って|選定|選ん|選ば|選択|決定|決ま|決め|導入|採択|利用|切り替え|落ち着|選び|乗り換え|組み込',
    done: '完了|済み|済ん|終わ|終え|終了|片付|仕上が|クローズ|完成|できた|でき上',
    open: '未|残|これから|予定|次|まだ|待ち|必要|着手前|する(?:こと|。|$)|要対応|やる|後で',
    cancelled: '必要な(?:い|くな)|中止|取りやめ|取り消|キャンセル|やめ|不要|見送|打ち切',
  },
  ko: {
    idiom: '뿐(?:만)? ?아니라|지 않으면 안|잊지|빠뜨리지|틀림없|에 불과',
    not: '안(?= )|비(?=활성)|미(?=달|완)',
    gone: '취소|폐기|철회|기각|무효|포기|중단|더 ?이상|되돌|번복|해제|삭제|틀린|잘못|롤백|그만|관계가? ?없|접었|접기|물러',
    after: '아니|아닌|않|없|못|말[고아라]|지 ?마|대체되|으로 ?대체|로 ?대체|로 ?교체',
    undo: '없이|잊|빠뜨|제외하고|외에',
    limit: '전에',
    exceed: '초과|넘|이하|이상|미만',
    none: '없',
    doing: '진행 ?중|작업 ?중|하는 중|시작했',
    held: '예전에는|한때',
    past: '이전|예전|원래|처음|기존|였|었던|전에는|바뀌|변경|대체|교체|과거|당초|대신|취소|폐기|에서',
    touch: '수정|변경|건드|바꾸|편집|손대|만지|고치',
    may: '수 ?있|허용|가능|자유|괜찮|해도 ?[된되]|다시',
    ban: '동결|금지|중지|잠[금겨긴]|보호|그대로|안 ?된|안 ?됩|금물|손대지|삼가',
    lift: '해제|풀렸|풀린|풀려|종료|끝났|만료|예외|더 ?이상|제외',
    applies: '적용|해당|대상|포함|영향|미치|유효',
    reject:
      '기각|거부|제외|탈락|않|안(?= )|못|없|배제|버렸|버린|버리|반려|불채택|말[고아라]|지 ?마|퇴짜|떨어|폐기|포기|취소',
    adopt: '채택|사용|선택|선정|쓰기로|쓴다|씁니다|쓰고|도입|결정|택했|택하|골랐|이용',
    done: '완료|끝났|끝냈|마쳤|마무리|처리됨|다 했|종료|해결',
    open: '남|예정|대기|아직|다음|해야|필요|미완|앞으로|할 ?일|보류',
    cancelled: '취소|중단|포기|철회|접었',
  },
} as const satisfies Record<string, Record<string, string>>;

/** Latin letters, digits and the signs that join them. */
const NO_LATIN_BEFORE = "(?<![\\p{Script=Latin}\\d_'’-])";
const NO_LATIN_AFTER = '(?![\\p{Script=Latin}\\d_])';
const SCRIPTS = [
  ['ko', /\p{Script=Hangul}/gu],
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
] as const;
/** Words that only one of the languages with Latin letters has often. */
const FREQUENT = {
  en: /\b(?:the|and|of|is|to|in|with|for|was|has|been|are|on|by|this|that|it|be|we|as|not|at)\b/giu,
  de: /\b(?:der|die|das|den|dem|des|und|ist|nicht|für|mit|zu|wird|wurde|werden|bei|von|auf|im|an|als|eine?[mnrs]?|noch|steht|wegen|darf|hat|wir)\b/giu,
  fr: /\b(?:le|la|les|des|est|pour|et|dans|du|une?|sur|avec|par|aux?|qui|pas|nous|ce)\b|\b[ldn]['’]/giu,
  es: /\b(?:el|los|las|de|que|para|con|una?|por|del|se|es|y|en|al|ya|no|la)\b/giu,
} as const;
/** Letters of another script that make a text be of its language: names of code are Latin everywhere. */
const SCRIPT_SHARE = 0.12;
/** Frequent words of another language that a likely one may lack. */
const CLEAR_LEAD = 1;

/** Languages whose words stand between spaces; those of the others are found anywhere. */
const SPACED: ReadonlySet<string> = new Set([...Object.keys(FREQUENT), 'ru']);

const patternOf = remembered((key) => {
  const [language, ...classes] = key.split(' ') as [WordLanguage, ...WordClass[]];
  const source = classes.map((name) => WORDS[language][name]).join('|');
  return new RegExp(SPACED.has(language) ? whole(source, language) : source, 'giu');
});

/** The language of a text by its script and its most frequent words; absent where nothing tells. A likely one holds unless some more words are of another. */
export function languageOf(text: string, likely?: WordLanguage): WordLanguage | undefined {
  const letters = countOf(text, /\p{L}/gu);
  for (const [language, script] of SCRIPTS) {
    if (countOf(text, script) > SCRIPT_SHARE * letters) {
      return language === 'zh' && countOf(text, SCRIPTS[1][1]) > 0 ? 'ja' : language;
    }
  }
  const counts = Object.entries(FREQUENT).map(
    ([name, words]) => [name, countOf(text, words) + (name === likely ? CLEAR_LEAD : 0)] as const,
  );
  const [best] = counts.toSorted((a, b) => b[1] - a[1]);
  return best === undefined || best[1] === 0 ? undefined : (best[0] as WordLanguage);
}

/** A global pattern of the words of some classes. */
export function wordsOf(language: WordLanguage, ...classes: readonly WordClass[]): RegExp {
  return patternOf([language, ...classes].join(' '));
}

function whole(source: string, language: string): string {
  if (language === 'ru') return `(?<!\\p{L})(?:${source})(?!\\p{L})`;
  return `${NO_LATIN_BEFORE}(?:${source.replaceAll('\\w', '[\\p{Script=Latin}]')})${NO_LATIN_AFTER}`;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
