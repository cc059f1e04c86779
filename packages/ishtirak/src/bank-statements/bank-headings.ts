// What the heading of a column says, and what words say of the direction of money, of its currency and of
// money that did not come. French, English and Arabic. Pure.

export type Heading =
  | 'date'
  | 'value_date'
  | 'credit'
  | 'debit'
  | 'amount'
  | 'balance'
  | 'direction'
  | 'currency'
  | 'status'
  /** Free text about one row: what the payer or the bank wrote. */
  | 'text'
  /** The number of the row or of the operation: each row has its own. */
  | 'number'

/** A list with commas, as the alternatives of an expression. Letters are those of `plainWords`. */
const anyOf = (list: string) =>
  list
    .split(',')
    .map((one) => one.trim())
    .join('|')
/** JavaScript's `\b` knows no Arabic letters. */
const begins = (latin: string, arabic = '-') =>
  new RegExp(`^(?:(?:${anyOf(latin)})\\b|(?:ال)?(?:${anyOf(arabic)}))`)
const has = (latin: string, arabic: string) => new RegExp(anyOf(`${latin}, ${arabic}`))
const is = (latin: string, arabic: string) => new RegExp(`^(?:${anyOf(`${latin}, ${arabic}`)})$`, 'u')

/** Beginnings of words, and whole phrases, that say that money did not come, or not yet, or went back. */
const NOT_COME = new RegExp(
  `\\b(?:un)?(?:${anyOf(`rejet, rej\\b, refus, annul, ann\\b, echou, echec, impay, retour, extourn,
  contre.?pass, suspen, bloqu, pending, reject, fail, cancel, revers, revok, revoqu, return, declin, denied,
  unpaid, bounced, void, (?:en|mise) (?:attente|cours|instance), a (?:venir|valider|confirmer), previ?,
  previs, non.(?:encore.)?(?:execut|abouti|compens|parven|credit|regl|pay|valid|confirm|comptab),
  non.(?:encaiss|effectu), sans provision, insuffisan,
  opposition, restitu, rectific, rembours, refund, rappel, recall, expir, chargeback,
  dishonou?r, on hold,
  held\\b, processing, not.(?:execut|paid|settled|booked|cleared), unsuccess, schedul, abort, timed.?out,
  litig, disput, s\\.?b\\.?f\\b, sauf bonne fin, provisoire, differee?s?\\b, sous reserve, programm, revert,
  uncleared, non recu, a recevoir, attendu, ko\\b, initie, instance\\b, en traitement`)})|` +
    anyOf(`مرفوض, رفض, ملغ, الغاء, معلق, مرتجع, ارجاع, مردود, مسترجع, استرداد, عكسي, موجل, فشل, فاشل,
    غير (?:منفذ|مقبول|مسدد|موكد|مكتمل), لم (?:ت|ي)نفذ, قيد (?:الانتظار|التنفيذ|المعالجة|التحصيل),
    في الانتظار, لم يتم, بدون رصيد, موقت, لم يصل, طور المعالجة, قيد الدراسة, لاغي`),
)
/** The balance of before or after. Most statements have one, so that it says nothing of other rows. */
const BALANCE_ROW = has(
  `\\b(?:ancien|nouveau) solde, \\breport\\b, \\ba reporter\\b, (?:opening|closing|previous) balance,
  \\bsolde (?:initial|final|precedent|anterieur|reporte|d.ouverture|de depart|au \\d),
  balance (?:brought|carried)`,
  'رصيد (?:ال)?(?:سابق|افتتاحي|مرحل|منقول|اول)',
)
/** Words in a heading whose column says what became of a row. */
const STATE = has(
  `statu, \\betat\\b, situation, \\bstate\\b, resultat, \\bresult\\b, confirm, valid, execut, compens,
  \\bregle,  \\bpaye\\b, sold\u00e9, ^comptabilisation$, ^sort$, ^provisoire, ^differe,
  ^(?:(?:is|operations?|ecritures?|mouvements?) )?(?:comptabilise|encaissee?\\b|traitee?\\b|abouti|denoue),
  ^(?:is )?(?:cleared|(?:posted|booked|settled)\\??$)`,
  'حالة, وضعية',
)

const CODES = `eur, usd, gbp, chf, cad, aed, sar, qar, kwd, bhd, omr, tnd, mad, egp, lyd, mru, xof, xaf, try,
  cny, jpy, sek, nok, dkk, rub, inr, aud, nzd, jod, lbp, dt, dh, fcfa, cfa`

const SIDES = ['d, deb, debit, dr, مدين', 'c, cred, credit, cr, داين'].map((list) => `(?:${anyOf(list)})\\.?`)
const BOTH_SIDES = new RegExp(`^(?:${SIDES.join(' ?/ ?')}|${[...SIDES].reverse().join(' ?/ ?')})$`)
const OF_DEBIT = has(
  'debit, retrait, sortie, money out, withdraw, paid out, depense, decaisse, prelevement',
  'مدين, سحب, مسحوب, مدفوعات, خصم',
)
/** *Crédit* in a longer heading may be a limit, a loan or an order to pay. */
const OF_CREDIT = new RegExp(
  '^(?:(?:montants?|mouvements?|operations?|sommes?) ?(?:au |en |du |des? )?)?' +
    `(?:${anyOf('credits?, crediteurs?, versements?, depots?, entrees?, recettes?, encaissements?')}|` +
    `${anyOf('money in, deposits?, paid in, (?:المبلغ )?(?:ال)?داين, (?:ال)?ايداع(?:ات)?')})` +
    `(?: d'argent)?(?:(?: | ?\\()(?:${anyOf(`da, dzd, د\\.?ج\\.?, cr, \\+, €, \\$, £, ${CODES}`)})\\)?)?$`,
)
const OF_AMOUNT = has('montant, amount, somme', 'مبلغ')
const TEXT = `libel\\w*, intitul\\w*, designation, (?:operation|transaction)(?! (?:amount|debit|credit)),
  nature, descri\\w*, details?, motif, communications?, objet, observations?, commentaires?, comments?,
  infos?, informations?, messages?, memo, narrati\\w*, labels?, textes?, particulars, remark\\w*, refs?,
  referen\\w*, benefici\\w*, donneur, emetteur, tiers, contrepartie, payer, payee, remitter, sender, nom,
  name, rib, iban, comptes?, account(?: (?:number|name|holder))?, banques?, bank`

/** The first that fits counts: `Libellé du versement` is text, `Date de crédit` a date. */
const HEADINGS: readonly (readonly [Heading, RegExp])[] = [
  // Whatever else it says: `Date de rejet`, `Motif du refus`, `N° annulation`.
  ['status', NOT_COME],
  ['status', STATE],
  ['currency', has('\\bdevise, \\bmonnaie, currency, \\bccy\\b, \\bcur\\b', 'عملة')],
  ['balance', has('\\bsolde\\b, \\bbalance\\b', 'رصيد')],
  ['value_date', /^(date|jour)\b.*\bval(eur)?\b|^valeur$|^value( date)?$|تاريخ (القيمة|الحق)/],
  ['date', begins('date, jour, day, (?:transaction|posting|booking|operation) date', 'تاريخ')],
  ['direction', begins('sens, direction, signe, sign, indicateur, (?:code|type) sens', 'اتجاه')],
  ['direction', BOTH_SIDES],
  ['number', /^(n ?[°o]\.?|nos?|num|numero|number|id|seq|rang|ligne|line|row|(ال)?رقم)( |$)/],
  ['text', begins(TEXT, 'بيان, تفاصيل, وصف, مرجع, ملاحظ, اسم')],
]
/** Behind words such as *mode*, *type* or *code* the rest of the heading is not about an amount. */
const KIND_OF = begins(
  'modes?, types?, codes?, canal, moyens?, agences?, branch, categories?, category, frais, commissions?',
  'نوع, رمز',
)

/** Small letters without accents, other signs and spaces around them. */
export function plainWords(text: string): string {
  // Normalizing sorts the marks of a letter: thousands of them would take seconds.
  return text
    .replace(/(\p{M}{4})\p{M}+/gu, '$1')
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/[\s_]+/g, ' ')
    .trim()
}

export function headingOf(name: string): Heading | null {
  if (name.trim() === '') return null
  // *Soldé* is a state, *solde* a balance.
  if (/sold\u00e9/i.test(name.normalize('NFC'))) return 'status'
  const plain = plainWords(name.replaceAll('"', ''))
  const [heading] = HEADINGS.find(([, is]) => is.test(plain)) ?? []
  if (heading) return heading
  if (KIND_OF.test(plain)) return null
  const [isDebit, isCredit] = [OF_DEBIT.test(plain), OF_CREDIT.test(plain)]
  const isBoth = isDebit && /credit|versement|داين/.test(plain)
  if (isDebit !== isCredit && !isBoth) return isDebit ? 'debit' : 'credit'
  return isBoth || OF_AMOUNT.test(plain) ? 'amount' : null
}

/** Whether a heading of days names those on which money is expected, or was ordered. */
export function isOfDueDays(name: string): boolean {
  return DUE.test(plainWords(name))
}
const DUE = has('echeance, demande, saisie, ordre, prevu, limite, \\bdue\\b', 'استحقاق, طلب')

/** Whether a heading names the people that the account's owner pays. */
export function namesPayee(name: string): boolean {
  return PAYEE.test(plainWords(name))
}
const PAYEE = has(
  `benefici, payee, creancier, creditor, destinat, fournisseur, supplier, vendor, recipient,
  compte (?:a )?credite, ^to$`,
  'مستفيد, المرسل اليه, مورد',
)

const OUT = is(
  `d, db, deb, debit, debiteur, debite, dr, dbit, -, sortie, sortant, out, outgoing, retrait, withdrawal,
  paid out`,
  'مدين, سحب, خصم, صادر',
)
const IN = is(
  `c, cr, cred, credit, crediteur, credite, crdt, \\+, entree, entrant, in, incoming, depot, deposit,
  versement, paid in`,
  'داين, ايداع, وارد',
)
const SENT = /^(virement|versement|paiement|transfert|vir)s? (emis|emise|sortant|envoye|sent)s?$/
const RECEIVED = /^(virement|versement|paiement|transfert|vir)s? (recu|recue|entrant|received)s?$/

/** Null: the word does not say in which direction money went. */
export function directionSaid(cell: string): 'in' | 'out' | null {
  const plain = plainWords(cell).replace(/[.()]/g, '')
  if (OUT.test(plain) || SENT.test(plain)) return 'out'
  return IN.test(plain) || RECEIVED.test(plain) ? 'in' : null
}

/** `C` can be a state or a kind as well; a word of three letters cannot. */
export function isClearDirection(cell: string): boolean {
  return plainWords(cell).replace(/[^\p{L}]/gu, '').length > 2 && directionSaid(cell) !== null
}

const DINARS = /^(da|dzd|dz|dinars?( algeriens?)?|د ?ج|دينار( جزايري)?|جزايري|012)( da| dzd)?$/
const NAMES =
  'dinars? (?:tunisien|libyen|jordanien|koweitien)s?, euros?, dollars?, livres?, yens?, francs?, ' +
  'dirhams?, دينار (?:ال)?(?:تونسي|ليبي|اردني|كويتي), درهم, ريال, يورو, اورو, دولار'
/** A word of a name such as `US Dollar (USD)`. */
const CURRENCY = is(
  `${CODES}, da, dzd, dinars?, euros?, us, dollars?, livres?, yens?, francs?, dirhams?, algeriens?,
  tunisiens?, libyens?, jordaniens?, koweitiens?, americains?, canadiens?, sterling, suisses?, marocains?`,
  'دينار, درهم, ريال, يورو, اورو, دولار, جزايري, تونسي, ليبي, مغربي, سعودي, امريكي, (?:us ?)?[€$£¥]',
)
const OTHER_CURRENCY = new RegExp(
  `(?:^|[^\\p{L}])(?:ب?ال)?(?:${anyOf(`${CODES}, ${NAMES}`)})(?:$|[^\\p{L}])|[€$£¥]`,
  'u',
)
/** A heading or title that speaks of currencies, or of other units than dinars, and does not name dinars. */
const UNIT = /\bdevises?\b|currency|\bmonnaie|عملة/
const PART_OR_MULTIPLE = /centime|millier|\bk ?da\b|million|سنتيم|الاف(?!\p{L})|ملايين/u
const NAMES_DINARS = /\b(da|dzd)\b|dinar|دينار|د ?ج/

/** Whether a cell of a column of currencies names another currency than dinars, or none. */
export function isOtherCurrency(cell: string): boolean {
  return !DINARS.test(plainWords(cell).replace(/[.()]/g, ' ').replace(/ +/g, ' ').trim())
}

/** Whether a cell is the name of a currency and nothing else. */
export function isCurrency(cell: string): boolean {
  const plain = plainWords(cell).replace(/[.()]/g, '')
  return DINARS.test(plain) || plain.split(' ').every((word) => CURRENCY.test(word))
}

/** Whether a heading, or a row without money, names another currency or unit. */
export function namesOtherCurrency(text: string): boolean {
  const plain = plainWords(text)
  if (OTHER_CURRENCY.test(plain) || PART_OR_MULTIPLE.test(plain)) return true
  return UNIT.test(plain) && !NAMES_DINARS.test(plain)
}

/** Words of money that was sent, or is to come. `Relevé émis le` tells when a statement was made. */
const OF_OTHERS = new RegExp(
  `\\b(?:${anyOf(`(?<!(?:releve|document|extrait|compte) )emis(?:es?)?, sortante?s?, envoyee?s?, planifiee?s?,
  future?s?, ordres? de (?:virement|paiement)s?, ordres? permanents?, a effectuer,
  prochaine?s? (?:operation|virement|paiement|versement)s?,
  (?:virement|versement|paiement|transfert)s? (?:effectues?|en faveur), outgoing, upcoming,
  sent (?:transfer|payment)s?, payments? (?:sent|made)`)})\\b|صادر|قادم|مستقبلي|مبرمج`,
)

/** Whether the plain words of a title say that the rows below it are not money that came. */
export function titleSaysNotCome(plain: string): boolean {
  return NOT_COME.test(plain) || OF_OTHERS.test(plain)
}

/** Whether the plain words of a row say that its money did not come, was sent back, or has yet to come. */
export function saysNotCome(plain: string): boolean {
  return NOT_COME.test(plain) || BALANCE_ROW.test(plain)
}

const DONE = is(
  `execute\\p{L}*, valide\\p{L}*, comptabilise\\p{L}*, effectue\\p{L}*, regle\\p{L}*, realise\\p{L}*,
  traite\\p{L}*, accepte\\p{L}*, ok, termine\\p{L}*, completed?, booked, posted, settled, success\\p{L}*,
  succeeded, done, succes, reussie?, recue?, creditee?, confirmee?, payee?, paid, received, confirmed`,
  'منفذ\\p{L}*, مقبول\\p{L}*, ناجح\\p{L}*, تم, تمت, تم بنجاح, مكتمل\\p{L}*, منجز\\p{L}*, نجاح',
)

/** Whether a column of states says of every row the same: that its money came. */
export function saysDone(cell: string): boolean {
  return DONE.test(plainWords(cell))
}
