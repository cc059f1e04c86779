// An owner's acts on operators: make, block, unblock, new role, new key. Only the answer of the act has the
// key; nothing can show it again.
import { type Static, Type } from 'typebox'
import { type Act, type ActDeps, act, type Call } from '../acts/act.js'
import type { Field } from '../acts/act-page.js'
import type { By } from '../acts/audit.sql.js'
import { list } from '../acts/list.js'
import { change, type Change as OneChange } from '../acts/preview.js'
import { reason, WhySchema } from '../acts/reason.js'
import { NO_USER, onNothing, type Subject } from '../acts/subject.js'
import { type Instant, timestampOrNull } from '../core/instant.js'
import type { Database } from '../database/database.js'
import { nullable, object, request, timestamp } from '../http/schemas.js'
import { type ConsolePages, renderConsole, roleName, type View } from '../pages/console-frame.js'
import { LinkButton } from '../pages/portal-frame.js'
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

export interface OperatorActDeps extends ActDeps, OperatorsDeps {
  readonly database: Database
}

const OperatorSchema = object('Operator', {
  name: Type.String(),
  role: roleSchema,
  source: Type.Enum(['environment', 'console'], { description: 'The place where the operator is defined' }),
  created_at: nullable(timestamp, { description: 'Null: of the environment' }),
  keyed_at: nullable(timestamp, { description: 'When they got their key' }),
  blocked_at: nullable(timestamp),
})
const KeyedOperatorSchema = object('KeyedOperator', {
  ...OperatorSchema.properties,
  key: nullable(Type.String({ description: 'Shown this once; null where `operation_id` made it before' })),
})

function viewOperator({ name, role, made }: ListedOperator): Static<typeof OperatorSchema> {
  return {
    ...{ name, role, source: made ? ('console' as const) : ('environment' as const) },
    created_at: timestampOrNull(made?.createdAt ?? null),
    keyed_at: timestampOrNull(made?.keyedAt ?? null),
    blocked_at: timestampOrNull(made?.blockedAt ?? null),
  }
}

export const operatorList = list<OperatorsDeps>()({
  path: '/operators',
  operationId: 'listOperators',
  summary: 'The operators of the environment, and those whom an owner made',
  description: 'Whom the issuer knows signs in without being listed here.',
  item: OperatorSchema,
  title: 'Operators',
  isWhole: true,
  command: { usage: 'operators list', rows: 'operators' },
  read: async (deps) => ({ items: await listOperators(deps), nextCursor: null }),
  view: () => viewOperator,
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

async function viewNamed(deps: OperatorsDeps, name: string) {
  const made = await requireMade(deps, name)
  return viewOperator({ name, role: made.role, made })
}

/** Null: the operator was made before. */
const keyIn = (outcome: unknown): string | null => Object(outcome).key ?? null

const keyed = {
  schema: KeyedOperatorSchema,
  read: async (deps: OperatorActDeps, { id, input }: Call<object, By>, outcome: unknown) => ({
    ...(await viewNamed(deps, 'name' in input ? String(input.name) : id)),
    key: keyIn(outcome),
  }),
}

export const createOperatorAct = act<OperatorActDeps>()({
  name: 'operator.create',
  roles: [],
  ownersAlone: true,
  on: onNothing('operators', '/operators', 'operators', PAGE),
  operationId: 'createOperator',
  summary: 'Make an operator; their key is shown this once',
  description:
    '409 for a name that there is, also in another case, and for one of the environment (`source`).',
  input: NewOperatorSchema,
  answer: keyed,
  fields: async (pages, view) => [
    { name: 'name', label: view.say('operatorName'), value: '', type: 'text' },
    roleField(pages, view, 'support'),
  ],
  page: (pages, view, { outcome, next }) => oncePage(pages, view, keyIn(outcome) ?? '', next),
  plan: async (deps, { input, by }) => {
    requireRoleNamed(deps, input.role)
    await requireNew(deps, input.name)
    return {
      version: 0,
      changes: [change.text('role', null, input.role, input.name)],
      save: async () => ({ key: await createOperator(deps, input, by) }),
    }
  },
})

function roleField(deps: OperatorsDeps, { say }: View, value: string): Field {
  const choices = roleNames(deps).map((role) => [role, roleName(role, say)] as const)
  return { name: 'role', label: say('role'), value, type: 'text', choices }
}

/** The change that an act makes to an operator. Throws `validation_failed`. */
type Change = (wanted: { readonly now: Instant; readonly role: string; readonly key: string }) => {
  readonly to: ChangeOperator
  readonly shown: (made: { readonly role: string }) => OneChange
}

function onOperator<Verb extends 'block' | 'unblock' | 'set_role' | 'new_key'>(
  verb: Verb,
  of: Pick<Act<OperatorActDeps>, 'operationId' | 'summary'> &
    Partial<Pick<Act<OperatorActDeps>, 'fields' | 'page' | 'answer'>> & { readonly change: Change },
) {
  const { change: changeTo, ...said } = of
  const answer = {
    schema: OperatorSchema,
    read: (deps: OperatorActDeps, { id }: Call<object, By>) => viewNamed(deps, id),
  }
  return act<OperatorActDeps>()({
    ...{ name: `operator.${verb}` as const, roles: [], ownersAlone: true, on: OPERATOR },
    description: '409 for an operator of the environment, and where no owner would be left (`last_owner`).',
    input: verb === 'set_role' ? RoleRequestSchema : WhySchema,
    ...{ answer, ...said },
    plan: async (deps, { id, input, by }) => {
      const role = 'role' in input ? String(input.role) : ''
      if (verb === 'set_role') requireRoleNamed(deps, role)
      const key = newKey()
      const { to, shown } = changeTo({ now: deps.clock.now(), role, key })
      const made = await requireMade(deps, id)
      await requireChange(deps, made, to)
      return {
        version: made.version,
        changes: [shown(made)],
        save: async () => {
          await changeOperator(deps, { act: by.act, name: id, by }, to)
          return { key }
        },
      }
    },
  })
}

export const blockOperator = onOperator('block', {
  operationId: 'blockOperator',
  summary: 'Block an operator: their key and their sessions end at once',
  change: ({ now }) => ({
    to: ({ blockedAt }) => (blockedAt === null ? { blockedAt: now } : null),
    shown: () => change.state('operatorState', 'operatorActive', 'operatorBlocked'),
  }),
})

export const unblockOperator = onOperator('unblock', {
  operationId: 'unblockOperator',
  summary: 'Let a blocked operator in again, by the key that they have',
  change: () => ({
    to: ({ blockedAt }) => (blockedAt === null ? null : { blockedAt: null }),
    shown: () => change.state('operatorState', 'operatorBlocked', 'operatorActive'),
  }),
})

export const setOperatorRole = onOperator('set_role', {
  operationId: 'setOperatorRole',
  summary: 'Give an operator another role',
  fields: async (pages, view) => [roleField(pages, view, '')],
  change: ({ role }) => ({
    to: (before) => (before.role === role ? null : { role }),
    shown: (made) => change.text('role', made.role, role),
  }),
})

export const newOperatorKey = onOperator('new_key', {
  operationId: 'newOperatorKey',
  summary: 'Give an operator a new key; it is shown this once, and the one before ends at once',
  answer: keyed,
  page: (pages, view, { outcome, next }) => oncePage(pages, view, keyIn(outcome) ?? '', next),
  change: ({ now, key }) => ({
    to: () => ({ keyDigest: digestOf(key), keyedAt: now }),
    shown: () => change.state('operatorKey', 'operatorKeyNow', 'operatorKeyNew'),
  }),
})

/** The page with the key, which nothing shows again. */
function oncePage(pages: ConsolePages, view: View, key: string, next: string) {
  const title = view.say('operatorKey')
  const html = renderConsole(pages, {
    ...view,
    title,
    languagePath: next,
    safeContent: (
      <section class="card" role="status">
        <h1 safe>{title}</h1>
        <p safe>{view.say('shownOnce')}</p>
        <p>
          <code dir="ltr" class="secret" safe>
            {key}
          </code>
        </p>
        <p class="actions">
          <LinkButton href={next} label={view.say('writtenDown')} />
        </p>
      </section>
    ),
  })
  return { html, headers: pages.headers }
}
