// Reads SELLER_FILE: the seller, taxes, stamp duty, and what customers see of the seller. All errors are
// reported at once, because a wrong NIF on a thousand receipts cannot be taken back.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { type Static, type TString, Type } from 'typebox'
import { Value } from 'typebox/value'
import { DAY, type Instant, toTimestamp } from '../core/instant.js'
import { byLocale, type Translated } from '../core/locale.js'
import type { Seller, SellerIdentity, TaxTerm } from '../core/receipt.js'
import type { StampDutyTerm, StampDutyTerms } from '../core/stamp-duty.js'
import { contrastBetween, READABLE_CONTRAST } from './color.js'
import {
  ConfigError,
  closed,
  errorCodeOf,
  parseJson,
  type Rule,
  readText,
  refuseBroken,
  schemaProblems,
} from './config-file.js'

const NAME = 'SELLER_FILE'

/** Throws `ConfigError` with every problem. */
export function readSellerFile(file: string): Seller {
  return parseSeller(readText(NAME, file), path.dirname(file))
}

/** `text` is JSON in the form of docs/seller.example.json. The logo's path starts at `folder`. */
export function parseSeller(text: string, folder = '.'): Seller {
  const value = parseJson(NAME, text)
  // The two kinds of tax term are checked one by one: a union would only say that neither kind fits.
  const problems = [...schemaProblems(NAME, SellerFile, value), ...termProblems(value)]
  if (problems.length > 0 || !Value.Check(SellerFile, value)) throw new ConfigError(problems)
  const taxTerms = (value.tax as TermFields[]).map(toTaxTerm)
  const { logo, problem = '' } = readLogo(folder, value.logo)
  refuseBroken(NAME, [...rulesOf(value, taxTerms), [problem !== '', '/logo', problem]])
  return {
    identity: toIdentity(value),
    // The schema refuses lists without a term.
    taxTerms: taxTerms as [TaxTerm, ...TaxTerm[]],
    stampDutyTerms: (value.stamp_duty?.map(toStampDutyTerm) as StampDutyTerms | undefined) ?? null,
    shop: {
      logo,
      color: value.color?.toLowerCase() ?? null,
      termsUrl: inEachLanguage(value.terms_url),
      refundUrl: inEachLanguage(value.refund_url),
    },
  }
}

const line = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' })
/** One for all languages, or one for each. */
const translated = (one: TString) => Type.Union([one, closed(byLocale(() => one))])
/** All at their longest still fit on one page. */
const words = (maxLength: number) => translated(line(maxLength))
const Link = translated(Type.String({ maxLength: 300, pattern: '^https?://[^\\s]+$' }))
/** RC, NIS, AI and card numbers are written with many separators, so only impossible ones are refused. */
const Registration = Type.String({ pattern: '^[0-9A-Z][0-9A-Z /.-]{3,39}$' })
const isoDay = (instant: Instant) => toTimestamp(instant).slice(0, 10)
const Day = Type.Refine(
  Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
  (day) => !Number.isNaN(Date.parse(day)) && isoDay(Date.parse(day)) === day,
  (day) => `there is no ${day} in the calendar`,
)

/** Whole dinars. */
const Amount = Type.Integer({ minimum: 0, maximum: 1_000_000_000 })
const Rate = Type.Refine(
  Type.Number({ minimum: 0, maximum: 100 }),
  (rate) => Math.abs(rate * 100 - Math.round(rate * 100)) <= 1e-6,
  () => 'must be whole centimes',
)
const DutyTerm = closed({
  from: Day,
  exempt_up_to: Type.Optional(Amount),
  brackets: Type.Array(closed({ up_to: Type.Optional(Amount), per_hundred: Rate }), {
    minItems: 1,
    maxItems: 20,
  }),
  whole_hundreds: Type.Optional(Type.Boolean()),
  minimum: Type.Optional(Amount),
  maximum: Type.Optional(Amount),
})

const SellerFile = closed({
  name: words(80),
  legal_form: words(60),
  activity: words(80),
  address: words(120),
  phone: Type.String({ pattern: '^\\+?[0-9][0-9 ()./-]{5,29}$' }),
  email: Type.String({ maxLength: 80, pattern: '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$' }),
  rc: Type.Optional(Registration),
  auto_entrepreneur_card: Type.Optional(Registration),
  // 15 digits for a company, 20 for a natural person or a branch; spaces are allowed.
  nif: Type.String({ pattern: '^ *(\\d *){15}((\\d *){5})?$' }),
  nis: Type.Optional(Registration),
  ai: Type.Optional(Registration),
  capital: Type.Optional(line(40)),
  terms_url: Link,
  refund_url: Link,
  logo: Type.Optional(line(300)),
  color: Type.Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
  tax: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 100 }),
  stamp_duty: Type.Optional(Type.Array(DutyTerm, { minItems: 1, maxItems: 100 })),
})

const DAYS = { from: Day, until: Type.Optional(Day) }
const VatTerm = closed({
  ...DAYS,
  kind: Type.Literal('vat'),
  rate_percent: Type.Integer({ minimum: 1, maximum: 99 }),
})
const UntaxedTerm = closed({ ...DAYS, kind: Type.Enum(['exempt', 'not_liable']), mention: words(160) })

type SellerFields = Static<typeof SellerFile>
type TermFields = Static<typeof VatTerm> | Static<typeof UntaxedTerm>
type DutyFields = Static<typeof DutyTerm>

/** Checks each tax term against the schema of its own kind. */
function termProblems(value: unknown): readonly string[] {
  const terms: unknown = Object(value).tax
  return (Array.isArray(terms) ? terms : []).flatMap((term, index) =>
    schemaProblems(NAME, Object(term).kind === 'vat' ? VatTerm : UntaxedTerm, term, `/tax/${index}`),
  )
}

/** `--page` of the light colors in pages.css: links stand on it. White has a little more contrast. */
const PAGE = '#f3f6f4'

const NO_LINK = 'must be an address such as https://atlas.example/terms'
const isLink = (link: string | Translated) =>
  Object.values(inEachLanguage(link)).every(
    (address) => URL.canParse(address) && new URL(address).username === '',
  )

/** Rules across fields. */
function rulesOf(seller: SellerFields, taxTerms: readonly TaxTerm[]): readonly Rule[] {
  const { rc, nis, ai, auto_entrepreneur_card: card, stamp_duty: duties = [], color = '#000000' } = seller
  const contrast = contrastBetween(color, PAGE)
  return [
    [!rc === !card, '', 'exactly one of /rc and /auto_entrepreneur_card is needed'],
    [!!rc && !(nis && ai), '', '/nis and /ai are needed beside /rc'],
    [!isLink(seller.terms_url), '/terms_url', NO_LINK],
    [!isLink(seller.refund_url), '/refund_url', NO_LINK],
    [
      contrast < READABLE_CONTRAST,
      '/color',
      `text in ${color} has a contrast of ${contrast.toFixed(1)} on a page; choose a darker color (4.5)`,
    ],
    ...dayRules('tax', taxTerms),
    ...endRules(taxTerms),
    ...dayRules('stamp_duty', duties),
    ...duties.flatMap(dutyRules),
  ]
}

function dayRules(field: string, terms: readonly { readonly from: string }[]): readonly Rule[] {
  return terms.map(({ from }, index) => {
    const isLater = index === 0 || from > (terms[index - 1]?.from ?? '')
    return [!isLater, `/${field}/${index}/from`, 'must be later than that of the term before']
  })
}

/** There is no day between two terms, and no day with two taxes. */
function endRules(terms: readonly TaxTerm[]): readonly Rule[] {
  return terms.flatMap(({ from, until }, index): Rule[] => {
    if (until === undefined) return []
    const place = `/tax/${index}/until`
    const next = terms[index + 1]?.from ?? isoDay(Date.parse(until) + DAY)
    return [
      [until < from, place, `must not be before ${from}`],
      [next !== isoDay(Date.parse(until) + DAY), place, 'must be the day before the next term begins'],
    ]
  })
}

function dutyRules(term: DutyFields, index: number): readonly Rule[] {
  const { brackets, exempt_up_to = 0, minimum = 0, maximum = minimum } = term
  const place = `/stamp_duty/${index}`
  const ofBrackets = brackets.flatMap(({ up_to }, number): Rule[] => {
    const upTo = `${place}/brackets/${number}/up_to`
    const before = number === 0 ? exempt_up_to : (brackets[number - 1]?.up_to ?? 0)
    const isLast = number === brackets.length - 1
    return [
      [isLast && up_to !== undefined, upTo, 'the last bracket has none'],
      [!isLast && up_to === undefined, upTo, 'is missing; only the last bracket has none'],
      [up_to !== undefined && up_to <= before, upTo, `must be more than ${before}`],
    ]
  })
  return [...ofBrackets, [maximum < minimum, `${place}/maximum`, 'must be at least the minimum']]
}

function toStampDutyTerm(term: DutyFields): StampDutyTerm {
  return {
    from: term.from,
    exemptUpTo: term.exempt_up_to ?? 0,
    brackets: term.brackets.map(({ up_to = null, per_hundred }) => ({
      upTo: up_to,
      centimesPerHundred: Math.round(per_hundred * 100),
    })),
    wholeHundreds: term.whole_hundreds ?? true,
    minimum: term.minimum ?? 0,
    maximum: term.maximum ?? null,
  }
}

function toIdentity(seller: SellerFields): SellerIdentity {
  const { phone, email, nif, rc = null, nis = null, ai = null, capital = null } = seller
  return {
    name: inEachLanguage(seller.name),
    legalForm: inEachLanguage(seller.legal_form),
    activity: inEachLanguage(seller.activity),
    address: inEachLanguage(seller.address),
    ...{ phone, email, rc, autoEntrepreneurCard: seller.auto_entrepreneur_card ?? null },
    ...{ nif, nis, ai, capital },
  }
}

function toTaxTerm(term: TermFields): TaxTerm {
  if (term.kind === 'vat') {
    const { kind, rate_percent: ratePercent, ...days } = term
    return { ...days, tax: { kind, ratePercent } }
  }
  const { kind, mention, ...days } = term
  return { ...days, tax: { kind, mention: inEachLanguage(mention) } }
}

/** One text for all three languages, or one for each. */
function inEachLanguage(words: string | Translated): Translated {
  return typeof words === 'string' ? byLocale(() => words) : words
}

/** Every page contains the logo, and should stay under 30 kB. */
const LOGO_BYTES_MAX = 6 * 1024

const noLogo = (problem: string) => ({ logo: null, problem })

/** The logo as an address with its data; null: no file is named. */
function readLogo(folder: string, name: string | undefined): { logo: string | null; problem?: string } {
  if (name === undefined) return { logo: null }
  const file = path.resolve(folder, name)
  try {
    // A device or a pipe has no end.
    const bytes = statSync(file).isFile() ? readFileSync(file) : Buffer.alloc(0)
    if (bytes.length > LOGO_BYTES_MAX)
      return noLogo(`${bytes.length} bytes; every page carries it, so at most ${LOGO_BYTES_MAX}`)
    const type = pictureType(bytes)
    if (type === null) return noLogo(`neither a PNG nor an SVG (${file})`)
    return { logo: `data:${type};base64,${bytes.toString('base64')}` }
  } catch (error) {
    return noLogo(`cannot be read: ${errorCodeOf(error)} (${file})`)
  }
}

/** Reads the content, not the name. A browser runs no script of a picture in an `img`. */
function pictureType(bytes: Buffer): string | null {
  if (bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png'
  const drawing = bytes.toString().replace(/<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>]*>/g, '')
  return /^\s*<svg[\s/>]/.test(drawing) ? 'image/svg+xml' : null
}

/** Replaces SELLER_FILE in the sandbox only. Its receipts cannot be mistaken for real ones. */
export const EXAMPLE_SELLER = parseSeller(
  readFileSync(new URL('./example-seller.json', import.meta.url), 'utf8'),
)
