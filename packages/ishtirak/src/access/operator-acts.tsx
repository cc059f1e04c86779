// An owner's acts on operators: make, block, unblock, another role, a new key. Only the answer of the act has
// the key; nothing can show it again.
import { type Static, type TObject, Type } from 'typebox'
import {
  type Act,
  act,
  type Call,
  type Change,
  change,
  reason,
  type ShownOnce,
  WhySchema,
} from '../acts/act.js'
import { auditEntry, type Requester } from '../acts/audit.sql.js'
import { list } from '../acts/list.js'
import { NO_USER, onNothing, type Subject } from '../acts/subject.js'
import type { Instant } from '../core/instant.js'
import { nullable, object, request, timestamp, viewAs } from '../http/schemas.js'
import { type ConsolePages, consolePage, roleName, type View } from '../pages/console-frame.js'
import type { Field } from '../pages/field.js'
import { LinkButton } from '../pages/parts.js'
import { digestOf } from '../runtime/secret.js'
import {
  describe,
  type ListedOperator,
  listOperators,
  newKey,
  requireChange,
  requireMade,
  requireNew,
  requireRoleNamed,
  roleNames,
  saveChange,
} from './operators.js'
import { insertOperator, type MadeOperator } from './operators.sql.js'
import { roleSchema } from './session-acts.js'
import type { AccessDeps } from './sessions.js'

const OperatorSchema = object('Operator', {
  name: Type.String(),
  role: roleSchema,
  source: Type.Enum(['environment', 'console'], { description: 'The place where the operator is defined' }),
  created_at: nullable(timestamp, { description: 'Null for an operator of OPERATOR_KEYS' }),
  keyed_at: nullable(timestamp, { description: 'When they got their key' }),
  blocked_at: nullable(timestamp),
})
const KeyedOperatorSchema = object('KeyedOperator', {
  ...OperatorSchema.properties,
  key: nullable(
    Type.String({ description: 'Shown only once; null if the same `operation_id` made the operator before' }),
  ),
})

function viewOperator(one: ListedOperator) {
  return viewAs(OperatorSchema, { ...one, source: one.createdAt === null ? 'environment' : 'console' })
}

export const operatorList = list<AccessDeps>()({
  path: '/operators',
  operationId: 'listOperators',
  summary: 'The operators of the environment, and those that an owner made',
  description: 'Operators who sign in by the issuer are not listed.',
  item: OperatorSchema,
  title: 'Operators',
  isWhole: true,
  command: { usage: 'operators list', rows: 'operators' },
  read: async (deps) => ({ items: await listOperators(deps), nextCursor: null }),
  view: () => viewOperator,
})

const PAGE = '/console/operators'

const OPERATOR: Subject<AccessDeps> = {
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

async function viewNamed(deps: AccessDeps, name: string) {
  return viewOperator(await requireMade(deps, name))
}

/** Null: the operator was made before. */
const keyIn = (outcome: unknown): string | null => Object(outcome).key ?? null

const withKey = {
  answer: {
    schema: KeyedOperatorSchema,
    read: async (deps: AccessDeps, { id, input }: Call<object, Requester>, outcome: unknown) => ({
      ...(await viewNamed(deps, 'name' in input ? String(input.name) : id)),
      key: keyIn(outcome),
    }),
  },
  page: keyPage,
}

export const createOperatorAct = act<AccessDeps>()({
  name: 'operator.create',
  roles: [],
  ownersAlone: true,
  on: onNothing('operators', '/operators', 'operators', PAGE),
  operationId: 'createOperator',
  summary: 'Make an operator; their key is shown this once',
  description: '409 if the name is taken, also in another case; `source` says by an operator of which place.',
  input: NewOperatorSchema,
  ...withKey,
  fields: async (pages, view) => [
    { name: 'name', label: view.say('operatorName'), value: '', type: 'text' },
    roleField(pages, view, 'support'),
  ],
  plan: async (deps, { input: { name, role }, by }) => {
    requireRoleNamed(deps, role)
    await requireNew(deps, name)
    return {
      version: 0,
      changes: [change.text('role', null, role, name)],
      save: async () => {
        const [key, now] = [newKey(), deps.clock.now()]
        const at = { createdAt: now, keyedAt: now, blockedAt: null }
        const made = { name, role, keyDigest: digestOf(key), version: 1, ...at }
        const audit = auditEntry(deps.ids, by, { after: describe(made), now })
        return (await insertOperator(deps.database, made, audit)) ? { key } : 'stale'
      },
    }
  },
})

function roleField(deps: AccessDeps, { say }: View, value: string): Field {
  const choices = roleNames(deps).map((role) => [role, roleName(role, say)] as const)
  return { name: 'role', label: say('role'), value, type: 'text', choices }
}

function onOperator<Input extends TObject>(
  of: Pick<Act<AccessDeps>, 'name' | 'operationId' | 'summary'> &
    Partial<Pick<Act<AccessDeps>, 'fields' | 'page' | 'answer'>> & {
      readonly input: Input
      /** The columns that the act changes; null if nothing would change. Throws `validation_failed`. */
      readonly changed: (
        before: MadeOperator,
        to: { readonly now: Instant; readonly key: string; readonly input: Static<Input> },
        deps: AccessDeps,
      ) => Partial<MadeOperator> | null
      readonly shown: (before: MadeOperator, after: MadeOperator) => Change
    },
) {
  const { changed, shown, ...said } = of
  return act<AccessDeps>()({
    ...{ roles: [], ownersAlone: true, on: OPERATOR },
    description: '409 for an operator of the environment, and where no owner would be left (`last_owner`).',
    answer: {
      schema: OperatorSchema,
      read: (deps: AccessDeps, { id }: Call<object, Requester>) => viewNamed(deps, id),
    },
    ...said,
    plan: async (deps, { id, input, by }) => {
      const [key, now] = [newKey(), deps.clock.now()]
      const before = await requireMade(deps, id)
      const after = await requireChange(deps, before, changed(before, { now, key, input }, deps))
      return {
        version: before.version,
        changes: [shown(before, after)],
        save: async () => ((await saveChange(deps, by, before, after)) ? { key } : 'stale'),
      }
    },
  })
}

export const blockOperator = onOperator({
  name: 'operator.block',
  operationId: 'blockOperator',
  summary: 'Block an operator: their key and their sessions end at once',
  input: WhySchema,
  changed: ({ blockedAt }, { now }) => (blockedAt === null ? { blockedAt: now } : null),
  shown: () => change.state('operatorState', 'operatorActive', 'operatorBlocked'),
})

export const unblockOperator = onOperator({
  name: 'operator.unblock',
  operationId: 'unblockOperator',
  summary: 'Let a blocked operator in again, by the key that they have',
  input: WhySchema,
  changed: ({ blockedAt }) => (blockedAt === null ? null : { blockedAt: null }),
  shown: () => change.state('operatorState', 'operatorBlocked', 'operatorActive'),
})

export const setOperatorRole = onOperator({
  name: 'operator.set_role',
  operationId: 'setOperatorRole',
  summary: 'Give an operator another role',
  input: RoleRequestSchema,
  fields: async (pages, view) => [roleField(pages, view, '')],
  changed: (before, { input: { role } }, deps) => {
    requireRoleNamed(deps, role)
    return before.role === role ? null : { role }
  },
  shown: (before, after) => change.text('role', before.role, after.role),
})

export const newOperatorKey = onOperator({
  name: 'operator.new_key',
  operationId: 'newOperatorKey',
  summary: 'Give an operator a new key; it is shown this once, and the one before ends at once',
  input: WhySchema,
  ...withKey,
  changed: (_before, { now, key }) => ({ keyDigest: digestOf(key), keyedAt: now }),
  shown: () => change.state('operatorKey', 'operatorKeyNow', 'operatorKeyNew'),
})

function keyPage(pages: ConsolePages, view: View, { outcome, next }: ShownOnce) {
  const title = view.say('operatorKey')
  const html = consolePage(
    { pages, view, title, languagePath: next },
    <section class="card" role="status">
      <p safe>{view.say('shownOnce')}</p>
      <p>
        <code dir="ltr" class="secret" safe>
          {keyIn(outcome) ?? ''}
        </code>
      </p>
      <p class="actions">
        <LinkButton href={next} label={view.say('writtenDown')} />
      </p>
    </section>,
  )
  return { html, headers: pages.headers }
}
