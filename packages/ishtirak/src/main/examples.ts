// The examples of the OpenAPI document: each operation has one of what is asked and one of what is answered,
// made from the examples of its schemas.

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly minimum?: number
  readonly pattern?: string
  readonly examples?: readonly unknown[]
}
type Schemas = Readonly<Record<string, Schema>>
type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>

interface Parameter {
  readonly name: string
  readonly required: boolean
  readonly schema: Schema
  readonly example?: unknown
}

interface Operation {
  readonly summary: string
  /** Members of the answer, as the call says them. The document has them in its example alone. */
  readonly 'x-example'?: object
  /** A body that is read as a stream or as bytes, so that no schema checks it. */
  readonly 'x-body'?: Operation['requestBody']
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

/** Adds examples to the `paths` of a document, or to its webhooks. Files have no example. */
export function withExamples(paths: unknown, schemas: object): unknown {
  // The plugin has made both from schemas of TypeBox.
  const [known, all] = [paths as Readonly<Record<string, Operations>>, schemas as Schemas]
  return mapped(known, (operations) => mapped(operations, (operation) => exemplified(operation, all)))
}

type Operations = Readonly<Record<string, Operation>>

/** The plugin writes this if the schema of an answer has no description. */
const NOT_DESCRIBED = 'Default Response'

/** An answer without a description of its own is what the operation is for. */
function exemplified(operation: Operation, schemas: Schemas): Operation {
  const { 'x-example': members, 'x-body': unchecked, ...known } = operation
  const { parameters, requestBody = unchecked, responses, ...others } = known
  return {
    ...others,
    ...(parameters && { parameters: parameters.map((one) => exampleParameter(one, schemas)) }),
    ...(requestBody && {
      requestBody: { ...requestBody, content: filled(requestBody.content, schemas, 'asked') },
    }),
    responses: mapped(responses, ({ description, content, ...response }, status) => ({
      ...response,
      description: description === NOT_DESCRIBED ? operation.summary : description,
      ...(content && {
        content: isRefusal(status) ? content : filled(content, schemas, 'answered', members),
      }),
    })),
  }
}

const isRefusal = (status: string) => !status.startsWith('2')

function exampleParameter(parameter: Parameter, schemas: Schemas): Parameter {
  const { name, required, schema } = parameter
  if (!required || 'example' in parameter) return parameter
  return { ...parameter, example: exampleOf(name, schema, schemas, 'asked') }
}

type Side = 'asked' | 'answered'

/** A schema that has an example as a whole keeps it: the plugin has written it here. */
function filled(content: Content, schemas: Schemas, side: Side, members?: object): Content {
  return mapped(content, (one, type) => {
    if (type !== 'application/json' || 'example' in one) return one
    const example = exampleOf('', one.schema, schemas, side)
    return { ...one, example: members ? { ...Object(example), ...members } : example }
  })
}

const mapped = <Member>(
  members: Readonly<Record<string, Member>>,
  change: (member: Member, name: string) => Member,
) => Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member, name)]))

/** An example of what is asked has only the required members, or all if none is required. */
function exampleOf(name: string, schema: Schema, schemas: Schemas, side: Side): unknown {
  const { $ref, examples, enum: words, anyOf, items } = schema
  const own = examples ?? anyOf?.[0]?.examples
  if (own) return own[0]
  if ('const' in schema) return schema.const
  const [known] = knownValues(name).filter((value) => fits(value, schema, schemas))
  if (known !== undefined) return known
  if ($ref !== undefined) return exampleOf(name, referred($ref, schemas), schemas, side)
  if (words) return words[0]
  if (anyOf?.[0]) return exampleOf(name, anyOf[0], schemas, side)
  switch (schema.type) {
    case 'array':
      return items ? [exampleOf(name.replace(/s$/, ''), items, schemas, side)] : []
    case 'object':
      return exampleObject(schema, schemas, side)
    case 'boolean':
      return true
    case 'string':
      return 'text'
    default:
      return Math.max(1, schema.minimum ?? 1)
  }
}

function exampleObject(schema: Schema, schemas: Schemas, side: Side): object {
  const { properties = {}, required = [], additionalProperties: other } = schema
  const isPart = side === 'asked' && required.length > 0
  const members = Object.entries(properties).filter(([member]) => !isPart || required.includes(member))
  // Usage of a limit that is counted for each of something.
  if (members.length === 0 && typeof other === 'object')
    return { 'site-1': exampleOf('used', other, schemas, side) }
  return Object.fromEntries(members.map(([member, of]) => [member, exampleOf(member, of, schemas, side)]))
}

const referred = ($ref: string, schemas: Schemas) => schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}

function fits(value: unknown, schema: Schema, schemas: Schemas): boolean {
  const { $ref, type, enum: words, anyOf, pattern } = schema
  if ($ref !== undefined) return fits(value, referred($ref, schemas), schemas)
  if (anyOf) return anyOf.some((one) => fits(value, one, schemas))
  if (words) return words.includes(value)
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(String(value))) return false
  if (typeof value === 'number' && value < (schema.minimum ?? value)) return false
  if (value === null || Array.isArray(value)) return type === (value === null ? 'null' : 'array')
  return type === typeof value || (typeof value === 'number' && type === 'integer')
}

/** The first value that fits is the example of a member whose schema has none. */
function knownValues(name: string): readonly unknown[] {
  return BY_NAME[name] ?? BY_END.find(([end]) => end.test(name))?.[1] ?? []
}

const ULID = '01jd7k3v9m4w8x2z5c6b7n8q9r'
const NOW = '2026-11-21T12:00:00Z'
const A_MONTH_LATER = '2026-12-21T12:00:00Z'

/** Members of which an example shows none, although it could. */
const NONE = Object.fromEntries(
  [
    ...['receipt_url', 'next_cursor', 'iban', 'bought_by', 'amount_asked', 'note', 'erased_at', 'transfer'],
    ...['paid_at', 'offered_price', 'revoked_by', 'closed_by', 'closed_because', 'stopped_because'],
    ...['po_number', 'second_of', 'other_payment_id', 'renewable_from', 'payment_method', 'reason'],
    ...['period_start', 'period_end'],
  ].map((name) => [name, [null]]),
)

const BY_NAME: Readonly<Record<string, readonly unknown[]>> = {
  ...NONE,
  user_id: ['user-1'],
  target: ['user-1'],
  project_id: ['site-1'],
  id: [`pay_${ULID}`],
  payment_id: [`pay_${ULID}`],
  event_id: [`evt_${ULID}`],
  statement_id: [`stm_${ULID}`],
  line_id: [`lin_${ULID}`],
  batch_id: [`bat_${ULID}`],
  bulk_id: [`blk_${ULID}`],
  session_id: [`ses_${ULID}`],
  use_id: [`red_${ULID}`],
  reconciliation_id: [`rcn_${ULID}`],
  checkout_id: [ULID],
  operation_id: ['refund-118'],
  consume_operation_id: ['deploy-7f3a'],
  plan: ['pro'],
  ended_plan: ['pro'],
  to: ['business'],
  limit: ['deploys_per_day', 50],
  months: [1],
  amount: [2_000],
  currency: ['DZD'],
  email: ['amina@example.dz'],
  name: ['Amina Benali', 'lina'],
  phone: ['0550123456'],
  why: ['asked for by mail'],
  role: ['support'],
  confirmed_by: ['karim'],
  checkout_url: [`https://pay.chargily.net/test/checkouts/${ULID}/pay`],
  proof_url: [`https://billing.example.dz/api/v1/billing/payments/pay_${ULID}/proof`],
  url: ['https://billing.example.dz/portal/open?token=3QmVx0'],
  return_path: ['/settings/billing'],
  cursor: ['MTc5NTI1NDAwMDAwMA'],
  number: ['F-2026-000042'],
  about: ['2026-000041'],
  code: ['7K2M-9QXA-D3VF-0T8R'],
  reference: ['K4M9-2R8F-JW36'],
  line: ['21/11/2026;K4M9-2R8F-JW36;2000,00'],
  holder: ['SARL Atlas'],
  buyer_name: ['SARL Atlas'],
  key: ['42'],
  rip: ['00799999000123456742'],
  bank: ['BNA'],
  used: [3],
  max: [2],
  remaining: [47],
  projects: [10],
  deploys_per_day: [50],
  storage_mb: [5_120],
  domains_per_project: [5],
  year: [2026],
  month: ['2026-11'],
  until: ['2026-11'],
  first_day: ['2026-11-01'],
  expires_at: ['2026-11-21T12:30:00Z'],
  version: [7],
  n: [1, '1'],
  q: ['amina'],
  type: ['payment.paid'],
  act: ['payment.refund'],
  what: ['status'],
  before: ['active'],
  after: ['canceled'],
  'webhook-id': [`evt_${ULID}`],
  'webhook-timestamp': ['1795255200'],
  'webhook-signature': ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='],
  missing: [[]],
  has_more: [false],
  over_limit: [[]],
  differences: [[]],
  days: [0],
}

/** The examples of other members, by the end of their names. */
const BY_END: readonly (readonly [RegExp, readonly unknown[]])[] = [
  [/(_by|^by|^operator|^actor)$/, ['lina']],
  [/(end|next_at)$/, [A_MONTH_LATER]],
  [/(date|day|since|until|_on)$/, ['2026-11-21', NOW]],
  [/(_at|start|timestamp)$/, [NOW, '2026-11-21']],
]
