// What an owner does with operators: makes one, blocks, lets in again, gives another role or a new key. A key
// is in the answer of its act alone, and nothing can show it again.
import { type Static, Type } from 'typebox'
import { type ActDeps, act, actTexts } from '../acts/act.js'
import type { ActForm } from '../acts/form.js'
import type { Preview } from '../acts/preview.js'
import { reading } from '../acts/reading.js'
import { reason, WhySchema } from '../acts/reason.js'
import { NO_USER, onNothing, type Subject } from '../acts/subject.js'
import { type Instant, timestampOrNull } from '../core/instant.js'
import type { Database } from '../database/database.js'
import { nullable, object, request, timestamp } from '../http/schemas.js'
import { roleName, type View } from '../pages/console-frame.js'
import { digestOf } from '../runtime/secret.js'
import {
  type ChangeOperator,
  changeOperator,
  createOperator,
  type ListedOperator,
  listOperators,
  newKey,
  type OperatorsDeps,
  requireChange,
  requireMade,
  requireNew,
  requireRoleNamed,
  roleNames,
} from './operators.js'
import { roleSchema } from './session-acts.js'
import { accessWords } from './words.js'

export interface OperatorActDeps extends ActDeps, OperatorsDeps {
  readonly database: Database
}

const OperatorSchema = object('Operator', {
  name: Type.String(),
  role: roleSchema,
  source: Type.Enum(['environment', 'console'], { description: 'Where they are from' }),
  created_at: nullable(timestamp, { description: 'Null: of the environment' }),
  keyed_at: nullable(timestamp, { description: 'When they got their key' }),
  blocked_at: nullable(timestamp),
})
const KeyedOperatorSchema = object('KeyedOperator', {
  ...OperatorSchema.properties,
  key: nullable(Type.String({ description: 'Shown this once; null where `operation_id` made it before' })),
})
const OperatorsSchema = object('Operators', { data: Type.Array(OperatorSchema) })

function viewOperator({ name, role, made }: ListedOperator): Static<typeof OperatorSchema> {
  return {
    ...{ name, role, source: made ? ('console' as const) : ('environment' as const) },
    created_at: timestampOrNull(made?.createdAt ?? null),
    keyed_at: timestampOrNull(made?.keyedAt ?? null),
    blocked_at: timestampOrNull(made?.blockedAt ?? null),
  }
}

export const readOperators = reading<OperatorsDeps>().reads({
  path: '/operators',
  operationId: 'listOperators',
  summary: 'The operators of the environment, and those whom an owner made',
  description: 'Whom the issuer knows signs in without being listed here.',
  answer: OperatorsSchema,
  command: { usage: 'operators list', show: ({ data, ...rest }) => ({ operators: data, ...rest }) },
  read: async (deps) => ({ data: (await listOperators(deps)).map(viewOperator) }),
})

const PAGE = '/console/operators'

const OPERATOR: Subject<OperatorsDeps> = {
  name: 'operator',
  path: '/operators/:operator',
  params: Type.Object({ operator: Type.String({ maxLength: 100 }) }),
  command: { group: 'operators', argument: 'name' },
  about: async (_deps, name) => ({ userId: NO_USER, label: () => name }),
  page: () => PAGE,
}

const newName = Type.String({
  pattern: '^[A-Za-z0-9_.@-]{1,64}$',
  description: 'Stands in the audit trail for ever',
  examples: ['samira'],
})
const NewOperatorSchema = request('NewOperator', { name: newName, role: roleSchema, why: reason })
const RoleRequestSchema = request('OperatorRole', { role: roleSchema, why: reason })

const shownOnce = { shownOnce: (outcome: unknown) => String(Object(outcome).key) }

async function viewNamed(deps: OperatorsDeps, name: string) {
  const made = await requireMade(deps, name)
  return viewOperator({ name, role: made.role, made })
}

export const createOperatorAct = act<OperatorActDeps>().does({
  name: 'operator.create',
  roles: [],
  ownersAlone: true,
  on: onNothing('operators', '/operators', 'operators', PAGE),
  operationId: 'createOperator',
  summary: 'Make an operator; their key is shown this once',
  description:
    '409 for a name that there is, also in another case, and for one of the environment (`source`).',
  input: NewOperatorSchema,
  answer: KeyedOperatorSchema,
  texts: actTexts(accessWords, 'operator_create'),
  form: { fields: async (pages, view) => [nameField(view), roleField(pages, view)], ...shownOnce },
  run: async (deps, { input, by }) => {
    requireRoleNamed(deps, input.role)
    return { key: await createOperator(deps, input, by) }
  },
  preview: async (deps, { input: { name, role } }) => {
    requireRoleNamed(deps, role)
    await requireNew(deps, name)
    return { version: 0, changes: [{ what: name, before: null, after: role }], detail: null }
  },
  show: async (deps, { input }, outcome) => ({
    ...(await viewNamed(deps, input.name)),
    key: keyIn(outcome),
  }),
})

/** Null: it was made before. */
const keyIn = (outcome: unknown): string | null => Object(outcome).key ?? null

const nameField = ({ say }: View) => ({
  ...{ name: 'name', label: say('operatorName'), value: '', type: 'text' as const },
})
const roleField = (deps: OperatorsDeps, { say }: View) => ({
  ...{ name: 'role', label: say('role'), value: 'support', type: 'text' as const },
  choices: roleNames(deps).map((role) => [role, roleName(role, say)] as const),
})

/** What a change is made of. */
interface Wanted {
  readonly now: Instant
  /** '' where none is asked for. */
  readonly role: string
  /** A new one, which most throw away. */
  readonly key: string
}

/** An act on one operator whom an owner made. */
function onOperator(of: {
  readonly verb: 'block' | 'unblock' | 'set_role' | 'new_key'
  readonly operationId: string
  readonly summary: string
  readonly what: 'operatorState' | 'role' | 'operatorKey'
  readonly change: (wanted: Wanted) => ChangeOperator
  readonly sides: (before: { readonly role: string }, wanted: Wanted) => readonly [string, string]
  readonly form?: ActForm<OperatorActDeps, unknown, null>
}) {
  const { verb, operationId, summary, what, change, sides, form } = of
  const name = `operator.${verb}` as const
  return act<OperatorActDeps>().does({
    ...{ name, roles: [], ownersAlone: true, on: OPERATOR, operationId, summary },
    description: '409 for an operator of the environment, and where no owner would be left (`last_owner`).',
    input: verb === 'set_role' ? RoleRequestSchema : WhySchema,
    answer: verb === 'new_key' ? KeyedOperatorSchema : OperatorSchema,
    ...(verb === 'new_key' && { each: ['key'] }),
    texts: actTexts(accessWords, `operator_${verb}`),
    ...(form && { form }),
    run: async (deps, { id, input, by }) => {
      const wanted = wantedIn(deps, input)
      await changeOperator(deps, { act: name, name: id, by }, change(wanted))
      return { key: wanted.key }
    },
    preview: async (deps, { id, input }): Promise<Preview<null>> => {
      const wanted = wantedIn(deps, input)
      const made = await requireMade(deps, id)
      await requireChange(deps, made, change(wanted))
      const [before, after] = sides(made, wanted)
      return { version: made.version, changes: [{ what, before, after }], detail: null }
    },
    show: async (deps, { id }, outcome) => ({
      ...(await viewNamed(deps, id)),
      ...(verb === 'new_key' && { key: keyIn(outcome) }),
    }),
  })
}

/** Throws `validation_failed`. */
function wantedIn(deps: OperatorsDeps, input: object): Wanted {
  const { role }: { readonly role?: string } = input
  if (role !== undefined) requireRoleNamed(deps, role)
  return { now: deps.clock.now(), role: role ?? '', key: newKey() }
}

export const blockOperator = onOperator({
  verb: 'block',
  operationId: 'blockOperator',
  summary: 'Block an operator: their key and their sessions end at once',
  what: 'operatorState',
  change:
    ({ now }) =>
    ({ blockedAt }) =>
      blockedAt === null ? { blockedAt: now } : null,
  sides: () => ['operatorActive', 'operatorBlocked'],
})

export const unblockOperator = onOperator({
  verb: 'unblock',
  operationId: 'unblockOperator',
  summary: 'Let a blocked operator in again, by the key that they have',
  what: 'operatorState',
  change:
    () =>
    ({ blockedAt }) =>
      blockedAt === null ? null : { blockedAt: null },
  sides: () => ['operatorBlocked', 'operatorActive'],
})

export const setOperatorRole = onOperator({
  verb: 'set_role',
  operationId: 'setOperatorRole',
  summary: 'Give an operator another role',
  what: 'role',
  change:
    ({ role }) =>
    (before) =>
      before.role === role ? null : { role },
  sides: ({ role: before }, { role }) => [before, role],
  form: { fields: async (pages, view) => [{ ...roleField(pages, view), value: '' }], asks: 'role' },
})

export const newOperatorKey = onOperator({
  verb: 'new_key',
  operationId: 'newOperatorKey',
  summary: 'Give an operator a new key; it is shown this once, and the one before ends at once',
  what: 'operatorKey',
  change:
    ({ now, key }) =>
    () => ({ keyDigest: digestOf(key), keyedAt: now }),
  sides: () => ['operatorKeyNow', 'operatorKeyNew'],
  form: shownOnce,
})
