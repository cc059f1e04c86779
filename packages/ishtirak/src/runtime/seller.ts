// Reads SELLER_FILE: who sells, and how sales are taxed from which day on. Everything that is wrong with it is reported
// at once, since a wrong NIF on a thousand receipts cannot be taken back.
import path from 'node:path'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Seller, SellerIdentity, TaxTerm, TaxTerms } from '../core/receipt.js'
import { ConfigError, parseJson, readText, schemaProblems } from './config-file.js'
import { inEachLanguage, readShop } from './shop-file.js'

const NAME = 'SELLER_FILE'

/** Throws `ConfigError` with every problem. */
export function readSellerFile(file: string): Seller {
  return parseSeller(readText(NAME, file), path.dirname(file))
}

/** `text` is JSON of the form of docs/seller.example.json. `folder`: where the path of the logo starts. */
export function parseSeller(text: string, folder = '.'): Seller {
  const value = parseJson(NAME, text)
  // The two kinds of tax term are looked at one by one: a union would only say that none of its members fits.
  const problems = [...schemaProblems(NAME, SellerFile, value), ...termProblems(value)]
  if (problems.length > 0 || !Value.Check(SellerFile, value)) throw new ConfigError(problems)
  const broken = [...ruleProblems(value)]
  const shop = readShop(value, folder, (problem) => broken.push(`${NAME} ${problem}`))
  const taxTerms = toTaxTerms(value.tax)
  if (broken.length > 0 || !taxTerms) throw new ConfigError(broken)
  return { identity: toIdentity(value), taxTerms, shop }
}

const line = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '\\S' })
/** One text, or one for each language. The lengths together are what still fits on one page. */
const words = (maxLength: number) =>
  Type.Union([
    line(maxLength),
    Type.Object(
      { ar: line(maxLength), fr: line(maxLength), en: line(maxLength) },
      { additionalProperties: false },
    ),
  ])
const Url = Type.String({ maxLength: 300, pattern: '^https?://[^\\s]+$' })
const Link = Type.Union([Url, Type.Object({ ar: Url, fr: Url, en: Url }, { additionalProperties: false })])
/** RC, NIS, AI and card numbers are written with many separators; only what cannot be one is refused. */
const Registration = Type.String({ pattern: '^[0-9A-Z][0-9A-Z /.-]{3,39}$' })
const Day = Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$' })

const SellerFile = Type.Object(
  {
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
  },
  { additionalProperties: false },
)

const VatTerm = Type.Object(
  { from: Day, kind: Type.Literal('vat'), rate_percent: Type.Integer({ minimum: 1, maximum: 99 }) },
  { additionalProperties: false },
)
const UntaxedTerm = Type.Object(
  { from: Day, kind: Type.Enum(['exempt', 'not_liable']), mention: words(160) },
  { additionalProperties: false },
)

type SellerFields = Static<typeof SellerFile>

/** Each tax term against the schema of its own kind. */
function termProblems(value: unknown): readonly string[] {
  const terms = isRecord(value) && Array.isArray(value.tax) ? value.tax : []
  return terms.flatMap((term: unknown, index) => {
    const isVat = isRecord(term) && term.kind === 'vat'
    return schemaProblems(NAME, isVat ? VatTerm : UntaxedTerm, term, `/tax/${index}`)
  })
}

/** What a schema of single fields cannot say. */
function ruleProblems(seller: SellerFields): readonly string[] {
  const problems: string[] = []
  if ((seller.rc === undefined) === (seller.auto_entrepreneur_card === undefined))
    problems.push('SELLER_FILE: exactly one of /rc and /auto_entrepreneur_card is needed')
  if (seller.rc !== undefined && (seller.nis === undefined || seller.ai === undefined))
    problems.push('SELLER_FILE: /nis and /ai are needed beside /rc')
  const days = (toTaxTerms(seller.tax) ?? []).map(({ from }) => from)
  for (const [index, day] of days.entries()) {
    if (Number.isNaN(Date.parse(day)) || new Date(day).toISOString().slice(0, 10) !== day)
      problems.push(`SELLER_FILE /tax/${index}/from: there is no ${day} in the calendar`)
    const before = days[index - 1]
    if (before !== undefined && before >= day)
      problems.push(`SELLER_FILE /tax/${index}/from: must be later than that of the term before`)
  }
  return problems
}

function toIdentity(seller: SellerFields): SellerIdentity {
  return {
    name: inEachLanguage(seller.name),
    legalForm: inEachLanguage(seller.legal_form),
    activity: inEachLanguage(seller.activity),
    address: inEachLanguage(seller.address),
    phone: seller.phone,
    email: seller.email,
    rc: seller.rc ?? null,
    autoEntrepreneurCard: seller.auto_entrepreneur_card ?? null,
    nif: seller.nif,
    nis: seller.nis ?? null,
    ai: seller.ai ?? null,
    capital: seller.capital ?? null,
  }
}

function toTaxTerms(terms: readonly unknown[]): TaxTerms | undefined {
  const [first, ...rest] = terms.flatMap((term): TaxTerm[] => {
    if (Value.Check(VatTerm, term))
      return [{ from: term.from, tax: { kind: 'vat', ratePercent: term.rate_percent } }]
    if (!Value.Check(UntaxedTerm, term)) return []
    return [{ from: term.from, tax: { kind: term.kind, mention: inEachLanguage(term.mention) } }]
  })
  return first && [first, ...rest]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Stands in for SELLER_FILE in the sandbox, and only there. A receipt with it cannot be mistaken for a real one. */
export const EXAMPLE_SELLER: Seller = {
  identity: {
    name: { ar: 'مثال للاستضافة', fr: 'Exemple Hébergement', en: 'Example Hosting' },
    legalForm: { ar: 'شركة ذات مسؤولية محدودة (مثال)', fr: 'SARL (exemple)', en: 'SARL (example)' },
    activity: {
      ar: 'استضافة تطبيقات الويب',
      fr: 'Hébergement d’applications web',
      en: 'Web application hosting',
    },
    address: {
      ar: 'شارع المثال رقم 1، الجزائر',
      fr: '1, rue de l’Exemple, Alger',
      en: '1, rue de l’Exemple, Algiers',
    },
    phone: '+213 00 00 00 00',
    email: 'facturation@exemple.example',
    rc: '00/00-0000000 B 00',
    autoEntrepreneurCard: null,
    nif: '000000000000000',
    nis: '000000000000000',
    ai: '00000000000',
    capital: null,
  },
  taxTerms: [{ from: '2020-01-01', tax: { kind: 'vat', ratePercent: 19 } }],
  shop: {
    termsUrl: inEachLanguage('https://exemple.example/conditions'),
    refundUrl: inEachLanguage('https://exemple.example/remboursements'),
    logo: null,
    color: null,
  },
}
