// The examples of the OpenAPI document: each operation has one of what is asked and one of what is answered,
// made from the examples of its schemas.

import { Check } from 'typebox/schema'

/** The parts of the OpenAPI document that examples, and the types of the client, are made from. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Members<Schema>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly minimum?: number
  readonly examples?: readonly unknown[]
  readonly [more: string]: unknown
}
type Members<Member> = Readonly<Record<string, Member>>
type Content = Members<{ readonly schema: Schema; readonly example?: unknown }>

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  /** Members of the answer, as the call says them. The document has them in its example alone. */
  readonly 'x-example'?: object
  /** A body that is read as a stream or as bytes, so that no schema checks it. */
  readonly 'x-body'?: Operation['requestBody']
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly description?: string
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Members<{ readonly description: string; readonly content?: Content }>
}

/** The plugin writes this if the schema of an answer has no description. */
const NOT_DESCRIBED = 'Default Response'

/** Adds examples to the `paths` of a document, or to its webhooks. Files and refusals have no example. */
export function withExamples(paths: unknown, schemas: object): unknown {
  // The plugin has made both from schemas of TypeBox.
  const exampleOf = examplesFrom(schemas as Members<Schema>)
  const filled = (content: Content, isAsked: boolean, members?: object) =>
    mapped(content, (one, type) => {
      // A schema that has an example as a whole keeps it: the plugin has written it here.
      if (type !== 'application/json' || 'example' in one) return one
      const example = exampleOf('', one.schema, isAsked)
      return { ...one, example: members ? { ...Object(example), ...members } : example }
    })
  const exemplified = ({ 'x-example': members, 'x-body': unchecked, ...operation }: Operation) => {
    const { summary, parameters, requestBody = unchecked, responses } = operation
    return {
      ...operation,
      ...(parameters && {
        parameters: parameters.map((one) =>
          one.required && !('example' in one)
            ? { ...one, example: exampleOf(one.name, one.schema, true) }
            : one,
        ),
      }),
      ...(requestBody && { requestBody: { ...requestBody, content: filled(requestBody.content, true) } }),
      responses: mapped(responses, ({ description, content, ...response }, status) => ({
        ...response,
        // An answer without a description of its own is what the operation is for.
        description: description === NOT_DESCRIBED ? summary : description,
        ...(content && { content: status.startsWith('2') ? filled(content, false, members) : content }),
      })),
    }
  }
  return mapped(paths as Members<Members<Operation>>, (operations) => mapped(operations, exemplified))
}

const mapped = <Member, Changed>(
  members: Members<Member>,
  change: (member: Member, name: string) => Changed,
) => Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member, name)]))

/** `schemas`: the components of the document. An example of what is asked has only the required members. */
function examplesFrom(schemas: Members<Schema>) {
  const exampleOf = (name: string, schema: Schema, isAsked: boolean): unknown => {
    const { $ref, examples, enum: words, anyOf, items } = schema
    const own = examples ?? anyOf?.[0]?.examples
    if (own) return own[0]
    if ('const' in schema) return schema.const
    const known = knownValues(name).find((value) => Check({ ...schema, components: { schemas } }, value))
    if (known !== undefined) return known
    if ($ref !== undefined) return exampleOf(name, schemas[$ref.replace(/.*\//, '')] ?? {}, isAsked)
    if (words) return words[0]
    if (anyOf?.[0]) return exampleOf(name, anyOf[0], isAsked)
    switch (schema.type) {
      case 'array':
        return items ? [exampleOf(name.replace(/s$/, ''), items, isAsked)] : []
      case 'object':
        return exampleObject(schema, isAsked)
      case 'boolean':
        return true
      case 'string':
        return 'text'
      default:
        return Math.max(1, schema.minimum ?? 1)
    }
  }
  const exampleObject = (schema: Schema, isAsked: boolean) => {
    const { properties = {}, required = [], additionalProperties: other } = schema
    // If no member is required, all are shown.
    const isShown = (member: string) => !isAsked || required.length === 0 || required.includes(member)
    const members = Object.entries(properties).filter(([member]) => isShown(member))
    // Usage of a limit that is counted for each of something.
    if (members.length === 0 && typeof other === 'object')
      return { 'site-1': exampleOf('used', other, isAsked) }
    return Object.fromEntries(members.map(([member, one]) => [member, exampleOf(member, one, isAsked)]))
  }
  return exampleOf
}

/** The first value that fits is the example of a member whose schema has none. */
function knownValues(name: string): readonly unknown[] {
  return BY_NAME[name] ?? BY_END.find(([end]) => end.test(name))?.[1] ?? []
}

const ULID = '01jd7k3v9m4w8x2z5c6b7n8q9r'
const NOW = '2026-11-21T12:00:00Z'
const A_MONTH_LATER = '2026-12-21T12:00:00Z'

const IDS = Object.fromEntries(
  Object.entries({
    ...{ id: 'pay_', payment_id: 'pay_', event_id: 'evt_', 'webhook-id': 'evt_', statement_id: 'stm_' },
    ...{ line_id: 'lin_', batch_id: 'bat_', bulk_id: 'blk_', session_id: 'ses_', use_id: 'red_' },
    ...{ reconciliation_id: 'rcn_', checkout_id: '' },
  }).map(([name, prefix]) => [name, [`${prefix}${ULID}`]]),
)

/** Members of which an example shows none, although it could. */
const NONE = Object.fromEntries(
  [
    ...['receipt_url', 'next_cursor', 'bought_by', 'amount_asked', 'note', 'erased_at', 'transfer'],
    ...['paid_at', 'offered_price', 'revoked_by', 'closed_by', 'closed_because', 'stopped_because'],
    ...['po_number', 'second_of', 'other_payment_id', 'payment_method', 'reason'],
    ...['period_start', 'period_end'],
  ].map((name) => [name, [null]]),
)

const BY_NAME: Readonly<Record<string, readonly unknown[]>> = {
  ...NONE,
  user_id: ['user-1'],
  target: ['user-1'],
  ...IDS,
  operation_id: ['refund-118'],
  plan: ['pro'],
  ended_plan: ['pro'],
  to: ['business'],
  limit: ['deploys_per_day', 50],
  amount: [2_000],
  currency: ['DZD'],
  email: ['amina@example.dz'],
  name: ['Amina Benali', 'lina'],
  phone: ['0550123456'],
  why: ['asked for by mail'],
  role: ['support'],
  confirmed_by: ['karim'],
  checkout_url: [`https://pay.chargily.net/test/checkouts/${ULID}/pay`],
  url: ['https://billing.example.dz/portal/open?token=3QmVx0'],
  number: ['F-2026-000042'],
  about: ['2026-000041'],
  code: ['7K2M-9QXA-D3VF-0T8R'],
  reference: ['K4M9-2R8F-JW36'],
  line: ['21/11/2026;K4M9-2R8F-JW36;2000,00'],
  buyer_name: ['SARL Atlas'],
  key: ['42'],
  used: [3],
  remaining: [47],
  projects: [10],
  deploys_per_day: [50],
  storage_mb: [5_120],
  domains_per_project: [5],
  year: [2026],
  first_day: ['2026-11-01'],
  expires_at: ['2026-11-21T12:30:00Z'],
  version: [7],
  n: [1, '1'],
  q: ['amina'],
  type: ['payment.paid'],
  act: ['payment.refund'],
  before: ['active'],
  after: ['canceled'],
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
  [/(end|until|next_at)$/, [A_MONTH_LATER, '2026-12-21']],
  [/(date|day|since|_on)$/, ['2026-11-21', NOW]],
  [/(_at|start|timestamp)$/, [NOW, '2026-11-21']],
]
