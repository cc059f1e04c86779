// A finding of a comparison that a person has judged: it is closed with the reason, waits no more, and comes
// back only where the provider says something else.
import { type ActDeps, act, actTexts } from '../acts/act.js'
import { type AuditDeps, auditEntry, requireUnchanged } from '../acts/audit.sql.js'
import type { Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { readLabels } from '../ledger/labels.js'
import type { ConsolePages } from '../pages/console-frame.js'
import { type FoundFinding, factsOf } from './finding-facts.js'
import { type FindingName, findFinding, findingNamed, saveClosed } from './findings.sql.js'
import { CloseRequestSchema, FindingParamsSchema, FindingSchema } from './reconcile-schemas.js'
import { compareWords } from './words.js'

type Deps = Pick<ActDeps, 'database'>

/** Of the API by its checkout, with the kind in what is asked; of the console by its id in the inbox. */
const FINDING: Subject<Deps, FoundFinding> = {
  name: 'finding',
  path: '/findings/:checkout_id',
  params: FindingParamsSchema,
  command: { group: 'findings', argument: 'checkout' },
  about: async (deps, id, asked) => {
    const { user_id, payment_id: paymentId } = (await loadFinding(deps, nameOf(id, asked))).finding
    return { userId: user_id ?? '', ...(paymentId !== null && { paymentId }) }
  },
  file: (deps) => ({
    schema: FindingSchema,
    read: (id) => loadFinding(deps, findingNamed(id)),
    view: ({ finding }) => finding,
  }),
}

function nameOf(id: string, asked: object = {}): FindingName {
  const { kind, gateway }: { kind?: string; gateway?: string } = asked
  const named = findingNamed(id)
  // The id of a checkout may have a space, too.
  return kind === undefined || named.kind === kind ? named : { checkoutId: id, kind, gateway }
}

/** Throws `not_found`. */
export async function loadFinding({ database }: Deps, name: FindingName): Promise<FoundFinding> {
  const found = await findFinding(database, name)
  if (!found) throw new BillingError('not_found', { extra: { finding_id: name.checkoutId } })
  const { payment_id: payment, user_id: user } = found.finding
  return { ...found, labels: await readLabels({ database }, { payments: [payment], users: [user] }) }
}

export const closeFinding = act<ActDeps>().decides({
  name: 'finding.close',
  // It judges the books, and moves nothing.
  roles: ['accountant'],
  on: FINDING,
  operationId: 'closeFinding',
  summary: 'Close a finding of a comparison: it was looked at, and waits no more',
  description:
    'It comes back where the provider says something else. 409 with `closed_at` when it is closed ' +
    'already, with `changed` when it is not the `version` that was named.',
  input: CloseRequestSchema,
  answer: FindingSchema,
  texts: actTexts(compareWords, 'close_finding'),
  load: async (deps, { id, input }) => {
    const found = await loadFinding(deps, nameOf(id, input))
    return { version: found.finding.version, found }
  },
  decide: ({ version, found: { finding } }, { input }) => {
    if (input.version !== undefined) requireUnchanged({ seenVersion: input.version }, version)
    const { closed_at } = finding
    if (closed_at !== null) throw new BillingError('conflict', { extra: { closed_at } })
    return finding
  },
  save: async (deps, { by }, { decision, now }) => {
    const { kind, gateway, checkout_id: checkoutId, user_id, payment_id: paymentId } = decision
    const { outcome, details } = decision
    const before = { kind, gateway, checkout_id: checkoutId, outcome, details }
    const facts = { paymentId, before, after: { closed: true }, now }
    const audit = auditEntry(deps.ids, { ...by, act: 'finding.close' }, facts)
    const closed = {
      ...{ by: by.operator.name, because: by.reason ?? '', audit },
      ...{ version: decision.version, now },
    }
    const name = { userId: user_id ?? '', checkoutId, kind, gateway }
    return (await saveClosed(deps.database, name, closed)) ? 'saved' : 'stale'
  },
  preview: ({ facts: { found } }) => ({
    changes: [{ what: 'kind_finding', before: 'findingOpen', after: 'findingClosed' }],
    detail: found,
  }),
  show: async (deps, { id, input }) => (await loadFinding(deps, nameOf(id, input))).finding,
  form: {
    isOffered: ({ finding }) => finding.closed_at === null,
    fields: async () => [],
    read: (_pages, _typed, id) => ({ kind: findingNamed(id).kind }),
    inWords: (pages, view, { detail }) => ({ facts: factsOf(pages, view, detail) }),
    reasonLabel: ({ say }) => say('reasonClosed'),
  },
})

export type ComparePages = ConsolePages & AuditDeps
