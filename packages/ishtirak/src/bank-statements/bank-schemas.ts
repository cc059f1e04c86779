// The schemas of bank statements, of their lines and of an approval, and the words for what a line is.
import { type Static, Type } from 'typebox'
import { reason } from '../acts/act.js'
import { nextCursor } from '../acts/paging.js'
import type { AccountKind } from '../core/account.js'
import { nullable, object, query, request, timestamp } from '../http/schemas.js'
import { bankForm } from './bank-form.js'

/** `returned`: money that went out again under the reference of a transfer; its amount is below 0. */
export const LINE_STATES = ['open', 'approved', 'payout', 'set_aside', 'returned'] as const
export type BankLineState = (typeof LINE_STATES)[number]

/** A line that is open is of the kind of its match. */
export const LINE_KINDS = [
  ...(['sure', 'to_choose', 'unknown'] as const),
  ...(['approved', 'payout', 'set_aside', 'returned'] as const),
] as const

/**
 * Why a line is never sure, whatever its reference says. `other_column`: a column that is not understood may
 * say that the money did not come. `not_come`: the row or a title says so in words. `currency`: the amount
 * may be in another one. `left_out`: a row without money names the same reference.
 */
const LINE_DOUBTS = ['other_column', 'not_come', 'currency', 'left_out'] as const
export type LineDoubt = (typeof LINE_DOUBTS)[number]

const MATCH_RULES = [
  ...(['reference', 'reference_inside', 'reference_near'] as const),
  ...(['amount_day_name', 'amount_day'] as const),
] as const
export type MatchRule = (typeof MATCH_RULES)[number]

/** Reasons why a line may not be for a transfer. `returned`: money went out again under the reference. */
const MISFITS = [
  ...(['amount', 'before_order', 'in_future', 'given_up', 'booked'] as const),
  ...(['other_reference', 'other_line', 'returned'] as const),
  ...LINE_DOUBTS,
] as const
export type Misfit = (typeof MISFITS)[number]

export const StatementParamsSchema = Type.Object({ statement_id: Type.String() })

const account = Type.Enum<AccountKind[]>(['ccp', 'baridimob', 'bank'], {
  description: 'The kind of account that it is of',
})

export const ImportQuerySchema = query({ account, ...bankForm })
export type ImportQuery = Static<typeof ImportQuerySchema>

export const LineSchema = object('BankLine', {
  id: Type.String(),
  account,
  date: Type.String({ description: '`YYYY-MM-DD`' }),
  amount: Type.Number({
    description: 'In dinars, with centimes where the bank has some; below 0 if it went out',
  }),
  text: Type.String(),
  state: Type.Enum([...LINE_STATES], {
    description:
      '`payout`: what the provider of cards paid out; `returned`: money that went out again under the ' +
      'reference of a transfer',
  }),
  payment_id: nullable(Type.String({ description: 'The payment that it pays' })),
  decided_by: nullable(Type.String()),
  reason: nullable(Type.String()),
  match: nullable(
    Type.Object({
      kind: Type.Enum(['sure', 'to_choose', 'unknown']),
      candidates: Type.Array(
        object('BankCandidate', {
          payment_id: Type.String(),
          user_id: Type.String(),
          name: nullable(Type.String()),
          reference: Type.String(),
          amount: Type.Integer({ description: 'The amount asked for' }),
          why: Type.Enum([...MATCH_RULES]),
          differs: Type.Array(Type.Enum([...MISFITS])),
          approved_by: Type.Array(Type.String(), {
            description: 'Those who gave the first of two approvals',
          }),
        }),
      ),
    }),
    { description: 'Null: it is decided' },
  ),
})

const summary = {
  statement_id: Type.String(),
  account,
  imported_at: timestamp,
  imported_by: Type.String(),
  first_day: Type.String(),
  last_day: Type.String(),
  lines: Type.Integer({ description: 'With money in, or with money out under the reference of a transfer' }),
}

export const StatementSummarySchema = object('BankStatementSummary', summary)

const { debit, decimal, ...certain } = bankForm
const FormSchema = Type.Object(
  {
    ...{ ...Type.Required(Type.Object(certain)).properties, debit, decimal },
    headings: Type.Array(Type.String()),
    rows: Type.Array(Type.Array(Type.String()), { description: 'The first ones' }),
    telling: Type.Array(Type.Integer(), {
      description:
        'Columns that are not understood and may say that money did not come: no line is sure. `text` ' +
        'names them as text',
    }),
    left_out: Type.Integer({ description: 'Rows with figures that have no day, such as sums' }),
    left_out_rows: Type.Array(Type.Integer(), { description: 'The first 100, as lines of the file' }),
  },
  { description: 'How the file was read; a later file with the same headings is read so' },
)
/** The form by which a file was read, with its first rows. */
export type StoredForm = Static<typeof FormSchema>

export const StatementSchema = object('BankStatement', {
  ...summary,
  form: FormSchema,
  counts: Type.Object(Object.fromEntries(LINE_KINDS.map((kind) => [kind, Type.Integer()]))),
  to_approve: Type.Object(
    { count: Type.Integer(), amount: Type.Integer() },
    { description: 'Sure lines that this operator has not approved yet' },
  ),
  data: Type.Array(LineSchema, {
    description: 'Without lines that a newer file has too, or that were decided in an earlier one',
  }),
  next_cursor: nextCursor,
})

export const WithdrawnSchema = object('StatementWithdrawn', {
  statement_id: Type.String(),
  withdrawn: Type.Integer({ description: 'Lines that it has no more' }),
  left: Type.Integer({ description: 'Lines that pay payments; 0: the statement is gone' }),
})

export const LinesApprovalSchema = request('LinesApproval', {
  lines: Type.Optional(
    Type.Array(
      Type.Object({ line: Type.String(), payment_id: Type.String() }, { additionalProperties: false }),
      {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: 'Lines with the payment that each is for; absent: all sure ones, 100 at a time',
      },
    ),
  ),
  why: reason,
})

export const LinesApprovedSchema = object('LinesApproved', {
  statement_id: Type.String(),
  results: Type.Array(
    object('LineApproved', {
      line: Type.String(),
      payment_id: Type.String(),
      outcome: Type.Enum(['approved', 'waits_for_second', 'review', 'refused']),
      code: nullable(Type.String({ description: 'Why it was refused' })),
    }),
  ),
  left: Type.Integer({ description: 'Sure ones that are still to be approved' }),
})
export type LineResult = Static<typeof LinesApprovedSchema>['results'][number]
