// The words of bank statements in French, English and Arabic: what a heading names, in which direction money
// went, in which currency, and that it did not come. Pure.

/** `number`: of the row or the operation. A heading that is not in the list is not understood. */
const HEADINGS = {
  date: `date, jour, day, date operation, date d'operation, date de l'operation, date op, date comptable,
    date de comptabilisation, date transaction, date de transaction, date de la transaction,
    date mouvement, date du mouvement, transaction date, posting date, booking date, operation date, تاريخ,
    تاريخ عملية, تاريخ معاملة`,
  value_date: `valeur, date valeur, date de valeur, date val, value, value date, تاريخ قيمة, تاريخ حق`,
  credit: `credit, credits, crediteur, montant credit, montant crediteur, montant au credit,
    mouvement credit, credit amount, entree, entrees, recette, recettes, encaissement, encaissements,
    versement, versements, depot, depots, money in, paid in, deposit, deposits, داين, مبلغ داين, ايداع,
    ايداعات`,
  debit: `debit, debits, debiteur, montant debit, montant debiteur, montant au debit, mouvement debit,
    debit amount, sortie, sorties, retrait, retraits, depense, depenses, decaissement, decaissements,
    prelevement, prelevements, money out, paid out, withdrawal, withdrawals, مدين, مبلغ مدين, سحب, مسحوبات`,
  amount: `montant, montant operation, montant de l'operation, somme, amount, transaction amount, مبلغ,
    مبلغ عملية`,
  balance: 'solde, nouveau solde, solde progressif, solde apres operation, balance, running balance, رصيد',
  direction: `sens, sens operation, code sens, signe, direction, d/c, c/d, dr/cr, debit/credit,
    credit/debit, اتجاه, مدين/داين`,
  currency: 'devise, code devise, monnaie, currency, ccy, عملة',
  status: `statut, statut operation, etat, etat operation, situation, status, state, transaction status,
    payment status, حالة, حالة عملية, وضعية`,
  number: `numero, num, no, id, number, numero operation, numero d'operation, numero de l'operation,
    numero piece, numero de piece, numero ordre, ligne, line, seq, رقم, رقم عملية`,
  text: `libelle, libelle operation, libelle de l'operation, libelle du mouvement, intitule, designation,
    operation, nature, nature operation, nature de l'operation, description, detail, details, motif,
    communication, objet, observation, observations, commentaire, commentaires, information, informations,
    informations complementaires, message, memo, narration, label, text, texte, textes, reference,
    references, ref,
    reference operation, reference de l'operation, payer, sender, donneur d'ordre, emetteur, nom, بيان,
    تفاصيل, وصف, مرجع, رقم مرجع, ملاحظة, ملاحظات`,
} as const
export type Heading = keyof typeof HEADINGS

const BY_NAME = new Map(
  Object.entries(HEADINGS).flatMap(([heading, names]) =>
    names.split(',').map((name) => [name.trim().replace(/\s+/g, ' '), heading as Heading] as const),
  ),
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

/** Ignores the Arabic article, the currency of the country, and other ways to write the same. */
export function headingOf(name: string): Heading | null {
  // *Soldé* is a state, *solde* a balance.
  if (/sold\u00e9/i.test(name.normalize('NFC'))) return null
  const plain = plainWords(name)
    .replace(/["*:.]/g, '')
    .replace(/\u2019/g, "'")
    .replace(/^n ?[°o](?= |$)/, 'numero')
    .replace(/(^| |\/)ال/g, '$1')
    .replace(/ ?\/ ?/g, '/')
    .replace(/ (?:en )?\(?(?:da|dzd|دج)\)?$/, '')
  return BY_NAME.get(plain.trim()) ?? null
}

/** A list with commas, as the alternatives of an expression. Letters are those of `plainWords`. */
const anyOf = (list: string) =>
  list
    .split(',')
    .map((one) => one.trim())
    .join('|')
const is = (latin: string, arabic: string) => new RegExp(`^(?:${anyOf(`${latin}, ${arabic}`)})$`, 'u')

/** Beginnings of words, and whole phrases, that say that money did not come, or not yet, or went back. */
const NOT_RECEIVED = new RegExp(
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
export function directionNamed(cell: string): 'in' | 'out' | null {
  const plain = plainWords(cell).replace(/[.()]/g, '')
  if (OUT.test(plain) || SENT.test(plain)) return 'out'
  return IN.test(plain) || RECEIVED.test(plain) ? 'in' : null
}

const DINARS = /^(da|dzd|dz|dinars?( algeriens?)?|د ?ج|دينار( جزايري)?|جزايري|012)( da| dzd)?$/
const CODES = `eur, usd, gbp, chf, cad, aed, sar, qar, kwd, bhd, omr, tnd, mad, egp, lyd, mru, xof, xaf, try,
  cny, jpy, sek, nok, dkk, rub, inr, aud, nzd, jod, lbp, dt, dh, fcfa, cfa`
const NAMES =
  'dinars? (?:tunisien|libyen|jordanien|koweitien)s?, euros?, dollars?, livres?, yens?, francs?, ' +
  'dirhams?, دينار (?:ال)?(?:تونسي|ليبي|اردني|كويتي), درهم, ريال, يورو, اورو, دولار'
const OTHER_CURRENCY = new RegExp(
  `(?:^|[^\\p{L}])(?:ب?ال)?(?:${anyOf(`${CODES}, ${NAMES}`)})(?:$|[^\\p{L}])|[€$£¥]`,
  'u',
)
const UNIT = /\bdevises?\b|currency|\bmonnaie|عملة/
const PART_OR_MULTIPLE = /centime|millier|\bk ?da\b|million|سنتيم|الاف(?!\p{L})|ملايين/u
const NAMES_DINARS = /\b(da|dzd)\b|dinar|دينار|د ?ج/

/** Whether a cell of a column of currencies names another currency than dinars, or none. */
export function isOtherCurrency(cell: string): boolean {
  return !DINARS.test(plainWords(cell).replace(/[.()]/g, ' ').replace(/ +/g, ' ').trim())
}

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

export function saysNotReceived(row: string): boolean {
  return NOT_RECEIVED.test(plainWords(row))
}

/** Whether a title says that the rows below it are not money that came. */
export function titleSaysNotReceived(title: string): boolean {
  return saysNotReceived(title) || OF_OTHERS.test(plainWords(title))
}

const DONE = is(
  `execute\\p{L}*, valide\\p{L}*, comptabilise\\p{L}*, effectue\\p{L}*, regle\\p{L}*, realise\\p{L}*,
  traite\\p{L}*, accepte\\p{L}*, ok, termine\\p{L}*, completed?, booked, posted, settled, success\\p{L}*,
  succeeded, done, succes, reussie?, recue?, creditee?, confirmee?, payee?, paid, received, confirmed`,
  'منفذ\\p{L}*, مقبول\\p{L}*, ناجح\\p{L}*, تم, تمت, تم بنجاح, مكتمل\\p{L}*, منجز\\p{L}*, نجاح',
)

export function saysCompleted(cell: string): boolean {
  return DONE.test(plainWords(cell))
}
