// Lines of bank statements beside transfers: what is sure, what is to be chosen, and why. Whatever people and
// banks make of a reference, no line is said to be sure of another transfer than the one that was meant.
import { SeededRandom } from '../../../../test/support/random.js'
import { drawReference, formatReference, isReference } from '../core/reference.js'
import { type BankLine, matcherOf, type PayableTransfer } from './bank-match.js'
import { wholeReferencesIn } from './references-in-text.js'

const ALPHABET = '2345689FJKMRW'
const TODAY = '2026-11-21'

function payable(reference: string, changes: Partial<PayableTransfer> = {}): PayableTransfer {
  return {
    ...{ payment_id: `pay_${reference}`, user_id: `user_${reference}`, name: null, reference, amount: 2000 },
    ...{ ordered_on: '2026-11-18', state: 'waiting', approved_by: [], line_id: null },
    ...changes,
  }
}

function lineOf(text: string, changes: Partial<BankLine> = {}): BankLine {
  const { references = wholeReferencesIn(text) } = changes
  return { id: 'l', day: '2026-11-20', centimes: 200_000, text, references, doubts: [], ...changes }
}

const random = new SeededRandom(7)
const draw = () => drawReference((size) => random.bytes(size))
const [A, B] = [draw(), draw()]
const NOTHING_KNOWN = { today: TODAY, linesOf: new Map(), returnedOn: new Map() }
const match = (
  line: BankLine,
  transfers: readonly PayableTransfer[] = [payable(A), payable(B)],
  { elsewhere = 0, returnedOn = new Map<string, string>() } = {},
) => {
  const linesOf = new Map(line.references.map((reference) => [reference, 1 + elsewhere]))
  return matcherOf({ transfers, today: TODAY, linesOf, returnedOn })(line)
}
const of = (...[line, transfers, elsewhere]: [BankLine, (readonly PayableTransfer[])?, number?]) => {
  const { kind, candidates } = match(line, transfers, { elsewhere })
  const found = candidates.flatMap(({ reference, why, differs }) => [reference, why, ...differs])
  return [kind, ...found]
}

describe('a line', () => {
  it('is not sure if money went out again under its reference, on its day or later', () => {
    const line = lineOf(A)
    const by = (day: string) => match(line, [payable(A)], { returnedOn: new Map([[A, day]]) })
    expect(by('2026-11-20')).toMatchObject({ kind: 'to_choose', candidates: [{ differs: ['returned'] }] })
    expect(by('2026-11-21').kind).toBe('to_choose')
    expect(by('2026-11-19').kind).toBe('sure')
  })

  it('is not sure if anything of its row is doubted', () => {
    const doubts = ['other_column', 'not_come', 'currency', 'left_out'] as const
    for (const doubt of doubts)
      expect(of(lineOf(A, { doubts: [doubt] })), doubt).toEqual(['to_choose', A, 'reference', doubt])
  })

  it('with the whole reference is sure, however it is written', () => {
    const shown = formatReference(A)
    for (const text of [
      ...[shown, `VIREMENT DE KARIM ${shown} ABONNEMENT`, `vir ${shown.replaceAll('-', ' ').toLowerCase()}`],
      ...[`REF:${A}`, `${A.slice(0, 6)}\n${A.slice(6)}`],
      A.replaceAll('2', 'Z').replaceAll('5', 'S').replaceAll('8', 'B'),
    ])
      expect.soft(of(lineOf(text)), text).toEqual(['sure', A, 'reference'])
  })

  it('with something that does not fit is to choose, and says what', () => {
    const rows: readonly (readonly [why: string, Partial<BankLine>, Partial<PayableTransfer>?, number?])[] = [
      ['reference,amount', { centimes: 190_000 }],
      ['reference,amount', { centimes: 200_001 }],
      ['reference,before_order', { day: '2026-11-17' }],
      ['reference,in_future', { day: '2026-11-22' }],
      ['reference,other_line', {}, {}, 1],
      ['reference,other_line', {}, { line_id: 'm' }],
      ['reference,given_up', {}, { state: 'given_up' }],
      ['reference,booked', {}, { state: 'booked' }],
      ['reference,other_reference', { text: `${A} ${B}` }],
      ['reference_inside', { text: `RF${A}K` }],
      ['reference_inside', { text: [...A].join(' ') }],
      ['reference_near', { text: `${A.slice(0, 3)}X${A.slice(4)}` }],
      ['reference_near', { text: A.slice(1) }],
      ['reference_near', { text: A.slice(0, -1) }],
      ['reference_near', { text: `${A.slice(0, 5)}X${A.slice(5)}` }],
    ]
    for (const [why, { text = A, ...line }, changes, elsewhere] of rows) {
      const found = of(lineOf(text, line), [payable(A, changes)], elsewhere)
      expect.soft(found.join()).toBe(`to_choose,${A},${why}`)
    }
  })

  it('that is said to pay its own transfer is sure of it; of several references one is to be chosen', () => {
    expect(of(lineOf(A), [payable(A, { line_id: 'l' })])).toEqual(['sure', A, 'reference'])
    const both = lineOf(`${A} ${B}`, { centimes: 400_000 })
    const differs = ['amount', 'other_reference']
    expect(of(both)).toEqual(['to_choose', A, 'reference', ...differs, B, 'reference', ...differs])
  })

  it('without a reference is found by amount, day and name, or by amount and day where there are few', () => {
    const named = [payable(A, { name: 'Samira Taleb' }), payable(B, { name: 'Ali Ben' })]
    expect(of(lineOf('VIREMENT TALEB SAMIRA'), named)).toEqual(['to_choose', A, 'amount_day_name'])
    expect(of(lineOf('VIREMENT'), named)).toEqual(['to_choose', A, 'amount_day', B, 'amount_day'])
    expect(of(lineOf('TALEB', { day: '2026-11-17' }), named)).toEqual(['unknown'])
    expect(of(lineOf('VIREMENT'), [...named, payable(draw()), payable(draw())])).toEqual(['unknown'])
    expect(of(lineOf('TALEB', { centimes: 200_050 }), named)).toEqual(['unknown'])
  })
})

/** What a hand or a bank makes of a reference. */
const ERRORS: readonly ((reference: string) => string)[] = [
  (one) => one,
  (one) => one.toLowerCase(),
  (one) => formatReference(one),
  (one) => formatReference(one).replaceAll('-', ' '),
  (one) => `${one.slice(0, 6)} ${one.slice(6)}`,
  (one) => replaced(one, random.pick([...ALPHABET])),
  (one) => replaced(one, random.pick([...'O01ILXYQZ'])),
  (one) => formatReference(replaced(one, random.pick([...ALPHABET]))),
  (one) => cut(one, place(), 0),
  (one) => cut(one, place(), 1, random.pick([...ALPHABET])),
  (one) => swapped(one),
  (one) => formatReference(swapped(one)).replaceAll('-', ' '),
  (one) => `${random.pick(['REF', 'KF', '9', 'W3'])}${one}`,
  (one) => `${one}${random.pick(['DA', 'K', '2026', 'R2'])}`,
  (one) => one.slice(0, -1),
  (one) => one.slice(1),
]
const place = () => random.between(0, 11)
const replaced = (one: string, by: string) => cut(one, place(), 0, by)
function cut(one: string, at: number, keep: number, instead = ''): string {
  return one.slice(0, at) + instead + one.slice(at + 1 - keep)
}
function swapped(one: string): string {
  const at = random.between(0, 10)
  return one.slice(0, at) + one.charAt(at + 1) + one.charAt(at) + one.slice(at + 2)
}

/** Live references that are as near to one as any can be: two symbols apart, or moved by one. */
function neighbours(reference: string): readonly string[] {
  const found: string[] = []
  const at = random.between(0, 10)
  for (const one of ALPHABET)
    for (const other of ALPHABET) {
      const near = reference.slice(0, at) + one + other + reference.slice(at + 2)
      if (isReference(near)) found.push(near)
    }
  for (const one of ALPHABET)
    for (const moved of [one + reference.slice(0, -1), reference.slice(1) + one])
      if (isReference(moved)) found.push(moved)
  return found.filter((near) => near !== reference)
}

it('is never sure of another transfer than the one that was meant, in 2,000 lines', () => {
  const transfers = Array.from({ length: 200 }, draw)
    .flatMap((reference) => [reference, ...neighbours(reference).slice(0, 9)])
    .map((reference) => payable(reference))
  const known = new Map(transfers.map((transfer) => [transfer.reference, transfer]))
  const matchOf = matcherOf({ ...NOTHING_KNOWN, transfers: [...known.values()] })
  const WORDS = 'VIREMENT|DE|KARIM|ABONNEMENT PRO|2 000 DA|F|R2|FEVRIER|5|W|تحويل|'.split('|')
  const counts = { wrong: 0, right: 0, asWritten: 0, sureAsWritten: 0, found: 0 }
  for (let n = 0; n < 2_000; n++) {
    const meant = random.pick(transfers)
    const error = random.between(0, ERRORS.length - 1)
    const written = ERRORS[error]?.(meant.reference) ?? ''
    const text = `${random.pick(WORDS)} ${written} ${random.pick(WORDS)}`
    const { kind, candidates } = matchOf(lineOf(text))
    const isMeant = candidates.some(({ payment_id }) => payment_id === meant.payment_id)
    if (kind === 'sure') counts[isMeant ? 'right' : 'wrong']++
    if (isMeant) counts.found++
    if (error < 5) {
      counts.asWritten++
      if (kind === 'sure') counts.sureAsWritten++
    }
  }
  expect(counts.wrong).toBe(0)
  // Beside so many near ones most of what was written right is sure, and nearly all is found.
  expect(counts.sureAsWritten / counts.asWritten).toBeGreaterThan(0.85)
  expect(counts.found).toBeGreaterThan(1_980)
})

it('looks at the transfers of one amount and name once a day, not once a line', () => {
  let looks = 0
  const late = (reference: string): PayableTransfer => ({
    ...payable(reference, { name: 'Samira Taleb' }),
    get ordered_on() {
      looks++
      return '2026-11-21'
    },
  })
  const transfers = Array.from({ length: 100 }, draw).map(late)
  const matchOf = matcherOf({ ...NOTHING_KNOWN, transfers })
  const looksAt = (count: number) => {
    for (let n = 0; n < count; n++) expect(matchOf(lineOf(`TALEB ${n}`)).kind).toBe('unknown')
    return looks
  }
  const ofOne = looksAt(1)
  expect(ofOne).toBeGreaterThan(0)
  expect(looksAt(1_000)).toBe(ofOne)
})
