// The page of an act in the console, and its form. An operator confirms exactly what was shown: a form that
// is sent with other values, or after the facts have changed, is shown again.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { BillingError, ERRORS, wrongField } from '../core/error.js'
import { mayDo, type Operator, requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import { checker } from '../http/schemas.js'
import { type ConsolePages, sendPage, type View } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { codeInWords } from '../pages/console-words.js'
import { LinkButton } from '../pages/portal-frame.js'
import { isFromAnotherSite, queryOf } from '../pages/reader.js'
import { type Act, type ActDeps, type ActPlan, byRank, verbOf } from './act.js'
import { actPage, type Field, isAsShown, type Typed } from './act-page.js'
import type { By, FoundAct } from './audit.sql.js'
import { findSent, perform, planOf } from './perform.js'
import { isReason } from './reason.js'
import { type About, idIn, type Subject, subjectPath } from './subject.js'
import { latinDigits, readTypedAmount } from './typed-amount.js'

/** `acts`: those of all capabilities. */
type Pages<Deps> = ConsolePages & Deps & { readonly acts: readonly Act<Deps>[] }

/** One request for the page of an act. */
interface Wanted<Deps> {
  readonly act: Act<Deps>
  readonly id: string
  /** The values of the fields, from the query or from the form. */
  readonly typed: Typed
}

export function actPages<Deps extends ActDeps>(app: App, pages: Pages<Deps>): void {
  const hidden = forOperators(pages)
  for (const act of pages.acts) {
    const path = `/console${act.on.path}/${verbOf(act)}`
    const idOf = (request: FastifyRequest) => idIn(act.on, Object(request.params))

    app.get(path, hidden, (request, reply) => {
      const closed = act.asksByPost ? (act.secret ?? []) : []
      const names = Object.keys(Object(request.query)).filter((name) => !closed.includes(name))
      const typed = Object.fromEntries(names.map((name) => [name, queryOf(request, name) ?? '']))
      return sendActPage(pages, request, reply, { act, id: idOf(request), typed })
    })

    app.post(path, hidden, async (request, reply) => {
      const typed = typedIn(request)
      const wanted = { act, id: idOf(request), typed }
      pages.reader.requireOwnForm(request, pages.operatorsHere.of(request))
      if (typed.version === undefined) return sendActPage(pages, request, reply, wanted)
      if (!isAsShown(typed.shown ?? '', typed))
        return sendActPage(pages, request, reply.code(422), wanted, { refusal: null })
      try {
        return await done(pages, request, reply, wanted)
      } catch (error) {
        if (!(error instanceof BillingError) || !isAskedAgain(error)) throw error
        return sendActPage(pages, request, reply.code(ERRORS[error.code]), wanted, { refusal: error })
      }
    })
  }
}

/** The operator can correct the form. A wrong `operation_id` or `version` was not sent by a page of ours. */
function isAskedAgain({ code, extra, problems }: BillingError): boolean {
  const isOurs = problems.every(({ pointer }) => !['/operation_id', '/version'].includes(pointer))
  return extra.changed === true || (ERRORS[code] === 422 && isOurs)
}

interface OfferedOn<Deps, File> {
  readonly subject: Subject<never, File>
  readonly file: File
  readonly deps: Deps
}

export function isOfferedOn<Deps, File>(act: Act<Deps>, { subject, file, deps }: OfferedOn<Deps, File>) {
  return act.on.name === subject.name && act.isOffered?.(file, deps) !== false
}

/** The acts on `subject` that this operator may do now. `file` is the subject's file. */
export function actsOffered<Deps, File>(
  { acts }: { readonly acts: readonly Act<Deps>[] },
  { session }: View,
  of: OfferedOn<Deps, File>,
): readonly Act<Deps>[] {
  return acts.filter((act) => mayDo(session.operator, act) && isOfferedOn(act, of)).sort(byRank)
}

export function titleOf({ name }: Pick<Act, 'name'>, view: Pick<View, 'say'>): string {
  return codeInWords(view, 'act', name)
}

interface LinkToAct<Deps> {
  readonly pages: Pick<ConsolePages, 'base'>
  readonly view: View
  readonly act: Act<Deps>
  /** The id of the act's subject; absent if the subject has no id. */
  readonly id?: string
}

/** Links to the page of an act. Renders nothing if the operator's role does not allow the act. */
export function ActButton<Deps>(of: LinkToAct<Deps> & { readonly label?: string }) {
  const { pages, view, act, id = '', label = titleOf(act, view) } = of
  return mayDo(view.session.operator, act) ? (
    <LinkButton href={pathOfAct(pages, act, id)} label={label} />
  ) : null
}

/** The buttons that are visible. The others are folded, and destructive ones stand apart among them. */
const OPEN_MAX = 3

/** `first` is a link to another page, and counts as a visible button. */
export function ActButtons<Deps>(of: {
  readonly pages: Pick<ConsolePages, 'base'>
  readonly view: View
  readonly first: { readonly href: string; readonly label: string } | null
  readonly offered: readonly { readonly act: Act<Deps>; readonly id: string }[]
}) {
  const { pages, view, first, offered } = of
  const sorted = [...offered].sort((one, other) => byRank(one.act, other.act))
  const harmless = sorted.filter(({ act }) => act.rank !== 'destructive')
  const apart = sorted.filter(({ act }) => act.rank === 'destructive')
  const buttons = (some: typeof sorted) => some.map((one) => <ActButton {...{ pages, view }} {...one} />)
  const open = harmless.splice(0, first ? OPEN_MAX - 1 : OPEN_MAX)
  return (
    <div class="actions">
      {first ? <LinkButton {...first} /> : null}
      {buttons(open)}
      {harmless.length + apart.length === 0 ? null : (
        <details class="more">
          <summary safe>{view.say('moreActs')}</summary>
          {harmless.length === 0 ? null : <p class="actions">{buttons(harmless)}</p>}
          {apart.length === 0 ? null : <p class="actions apart">{buttons(apart)}</p>}
        </details>
      )}
    </div>
  )
}

/** Renders the link for a cell of a table. */
export function ActLink<Deps>({ pages, view, act, id = '' }: LinkToAct<Deps>) {
  return mayDo(view.session.operator, act) ? (
    <a class="line" href={pathOfAct(pages, act, id)} safe>
      {titleOf(act, view)}
    </a>
  ) : null
}

/** Whether the address says that an act was not done: it was refused, or the facts had changed. */
export function isUndone(request: FastifyRequest): boolean {
  return ['refused', 'changed'].some((name) => queryOf(request, name) !== undefined)
}

/** Does the act, and redirects to the page with its result. */
async function done<Deps extends ActDeps>(
  pages: Pages<Deps>,
  request: FastifyRequest,
  reply: FastifyReply,
  { act, id, typed }: Wanted<Deps>,
): Promise<FastifyReply> {
  const view = viewOf(pages, request, reply)
  requireRole(view.session.operator, act)
  const by = byOf(view.session.operator, typed, isReasonRequired(act))
  const about = await act.on.about(pages, id, typed)
  const sent = await findSent(act, pages, { id, input: typed, by }, about)
  // After the act, the form may have other fields, so a repetition does not read them.
  const fields = sent ? [] : await askedBy(pages, view, { act, id, typed })
  const why = by.reason === null ? {} : { why: by.reason }
  const call = { id, input: sent ? {} : { ...inputIn(act.wanted, fields, typed), ...why }, by }
  const page = pageAfter(pages, act, id, about)
  const leadTo = (query: string) => reply.headers(pages.headers).redirect(`${page}?${query}`, 303)
  // `shown`: the result was a page that is shown only once.
  const tell = (found: FoundAct) =>
    leadTo(`${found.isRefused ? 'refused' : act.page ? 'shown' : 'done'}=${found.id}`)
  try {
    const performed = await perform(act, pages, call, { about, sent })
    if (performed.kind === 'done_before') return tell(performed.found)
    if (act.page) {
      const { html, headers } = act.page(pages, view, { outcome: performed.outcome, typed, next: page })
      return reply.headers(headers).send(html)
    }
  } catch (error) {
    if (!(error instanceof BillingError)) throw error
    const refused = await findSent(act, pages, call, about)
    if (refused) return tell(refused)
    if (error.extra.changed || ![404, 409].includes(ERRORS[error.code])) throw error
  }
  const found = await findSent(act, pages, call, about)
  return found ? tell(found) : leadTo('changed=1')
}

/** `sent`: the form was sent and not accepted. A null refusal: its values were not those that were shown. */
async function sendActPage<Deps extends ActDeps>(
  pages: Pages<Deps>,
  request: FastifyRequest,
  reply: FastifyReply,
  wanted: Wanted<Deps>,
  sent: { readonly refusal: BillingError | null } | null = null,
): Promise<FastifyReply> {
  const { act, id, typed } = wanted
  const view = viewOf(pages, request, reply)
  requireRole(view.session.operator, act)
  const about = await act.on.about(pages, id, typed)
  const backPath = pageAfter(pages, act, id, about)
  const file = act.on.file?.(pages)
  const known = act.isOffered && file ? await file.read(id) : null
  if (known && act.isOffered?.(known, pages) === false)
    return reply.headers(pages.headers).redirect(`${backPath}?changed=1`, 303)
  const fields = await askedBy(pages, view, wanted)
  const tried = await tryPlan(pages, view, wanted, fields)
  const isTyped = fields.some(({ name, type }) => type !== 'hidden' && typed[name] !== undefined)
  // A link may fill in some fields, and a choice may add fields: what was not asked for yet is not missing.
  const problems = ('refusal' in tried && tried.refusal.problems) || []
  const isNew = problems.length > 0 && problems.every(({ pointer }) => typed[pointer.slice(1)] === undefined)
  const isSent = sent !== null || (isTyped && !isNew)
  const wrong = 'refusal' in tried ? tried : sent
  if ('refusal' in tried && isSent) reply.code(ERRORS[tried.refusal.code])
  return sendPage(
    pages,
    reply,
    actPage(pages, view, {
      title: titleOf(act, view),
      about: about.label?.(pages.formats, view.locale),
      text: codeInWords(view, 'text', act.name),
      // A link on another site must not open a file in the operator's name, which the trail would record.
      safeBeside: isFromAnotherSite(request) ? null : ((await act.beside?.(pages, view, id)) ?? null),
      path: pathOfAct(pages, act, id),
      ...{ backPath, fields, isReasonRequired: isReasonRequired(act) },
      others: othersOf(pages, view, { act, id, known }),
      secret: act.secret ?? [],
      plan: 'refusal' in tried ? null : tried,
      sent: isSent && wrong ? { typed, refusal: wrong.refusal } : null,
    }),
  )
}

/**
 * Links to other acts on the same subject. If the subject has a page with its acts, the form shows only the
 * acts that are decided by the same evidence, such as approve and refuse.
 */
function othersOf<Deps>(
  pages: Pages<Deps>,
  view: View,
  { act, id, known }: Pick<Wanted<Deps>, 'act' | 'id'> & { readonly known: unknown },
) {
  if (id === '' || (act.on.file && !act.beside)) return []
  return actsOffered(pages, view, { subject: act.on, file: known, deps: pages })
    .filter((one) => one !== act && one.beside === act.beside)
    .map((one) => ({ href: pathOfAct(pages, one, id), label: titleOf(one, view) }))
}

/** The plan, or the refusal if the operator can correct a field of the form. */
async function tryPlan<Deps extends ActDeps>(
  pages: Pages<Deps>,
  view: View,
  { act, id, typed }: Wanted<Deps>,
  fields: readonly Field[],
): Promise<ActPlan | { readonly refusal: BillingError }> {
  const values = { ...typed, ...Object.fromEntries(fields.map(({ name, value }) => [name, value])) }
  try {
    const by = { operator: view.session.operator, reason: null }
    return await planOf(act, pages, { id, input: inputIn(act.wanted, fields, values), by })
  } catch (error) {
    const isAnswer = error instanceof BillingError && [404, 409, 422].includes(ERRORS[error.code])
    if (!isAnswer || !fields.some(({ name, type }) => type !== 'hidden' && name !== 'why')) throw error
    return { refusal: error }
  }
}

/** The fields of the form with what was typed in them; a field that was cleared is empty. */
export async function askedBy<Deps>(
  pages: ConsolePages & Deps,
  view: View,
  { act, id, typed }: Wanted<Deps>,
): Promise<readonly Field[]> {
  const fields = act.fields ? await act.fields(pages, view, { id, typed }) : requiredFields(act.wanted)
  return fields.map((field) => ({ ...field, value: typed[field.name] ?? field.value }))
}

/** The fields that must be filled in, as their schema describes them. */
function requiredFields({ properties, required }: TObject): readonly Field[] {
  return Object.entries(properties)
    .filter(([name]) => required?.includes(name))
    .map(([name, schema]) => {
      const { type, description = name, enum: choices }: SchemaWords = Object(schema)
      const label = description.charAt(0).toUpperCase() + description.slice(1)
      const kind = type === 'integer' ? ('number' as const) : ('text' as const)
      const listed = choices && { choices: choices.map((choice) => [choice, choice] as const) }
      return { name, label, value: '', type: kind, ...listed }
    })
}

interface SchemaWords {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly string[]
}

/** Throws `validation_failed`. */
export function inputIn(wanted: TObject, fields: readonly Field[], typed: Typed): object {
  for (const { name, most } of fields)
    if (most !== undefined && Number(latinDigits(typed[name] ?? '')) > most)
      throw wrongField(name, 'too_large', most)
  const read = fields.filter((field) => field.read)
  const members = Object.entries<TSchema>(wanted.properties).flatMap(([name, schema]) => {
    const text = (typed[name] ?? '').trim()
    const isRead = read.some((field) => field.name === name)
    return text === '' || isRead ? [] : [[name, readMember(schema, text)] as const]
  })
  const input = Object.assign(Object.fromEntries(members), ...read.map((field) => field.read?.(typed)))
  return checker<object>(wanted)(input)
}

/** A text that is not a number stays text, and the schema refuses it. */
function readMember(schema: TSchema, text: string): string | number {
  const { type }: SchemaWords = Object(schema)
  if (type === 'number') return Number(text)
  if (type !== 'integer') return text
  const [, sign = '', figure = ''] = /^([-\u2212]?)(.*)$/s.exec(text) ?? []
  const read = readTypedAmount(figure)
  return read.kind === 'dinars' ? (sign === '' ? read.dinars : -read.dinars) : text
}

function isReasonRequired({ input }: Pick<Act, 'input'>): boolean {
  return input.required?.includes('why') ?? false
}

/** The address of the page of an act. */
export function pathOfAct(
  { base }: Pick<ConsolePages, 'base'>,
  act: Pick<Act, 'on' | 'name'>,
  id: string,
): string {
  return `${base}/console${subjectPath(act.on, id)}/${verbOf(act)}`
}

/** The page that shows the result of an act. */
function pageAfter<Deps>(
  { base }: Pick<ConsolePages, 'base'>,
  { on }: Act<Deps>,
  id: string,
  about: About,
): string {
  return `${base}${on.page?.(id, about) ?? `/console${subjectPath(on, id)}`}`
}

/** All fields of the form. Of a field that was sent twice the first counts, as in `fieldOf`. */
function typedIn({ body }: FastifyRequest): Typed {
  return body instanceof URLSearchParams ? Object.fromEntries([...body].reverse()) : {}
}

/** Throws `validation_failed` for a wrong reason, and if the form did not come from a page of ours. */
function byOf(
  operator: Operator,
  { why = '', operation_id: operationId = '', version = '' }: Typed,
  isReasonRequired: boolean,
): By {
  const reason = why.trim()
  const problems = [
    ...(reason === '' && isReasonRequired ? [{ pointer: '/why', code: 'required' as const }] : []),
    ...(reason === '' || isReason(reason) ? [] : [{ pointer: '/why', code: 'invalid' as const }]),
    ...(/^[\w-]{22}$/.test(operationId) ? [] : [{ pointer: '/operation_id', code: 'invalid' as const }]),
    ...(/^\d{1,15}$/.test(version) ? [] : [{ pointer: '/version', code: 'invalid' as const }]),
  ]
  if (problems.length > 0) throw new BillingError('validation_failed', { problems })
  return { operator, reason: reason || null, operationId, seenVersion: Number(version) }
}
