// The page of an act in the console, and what its form does. There is one rule for all: what is confirmed is
// what was shown. A form that was sent with other values, or after the facts have changed, is shown again.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { BillingError, ERRORS, wrongField } from '../core/error.js'
import { mayDo, requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import { checker } from '../http/checker.js'
import { type ConsolePages, sendPage, type View } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { codeInWords } from '../pages/console-words.js'
import { LinkButton } from '../pages/portal-frame.js'
import { isFromAnotherSite, queryOf } from '../pages/reader.js'
import { type Act, type ActDeps, type ActPlan, byRank, requireAllowed, verbOf } from './act.js'
import { actPage, type Field, isAsShown, type Typed } from './act-page.js'
import { perform, planOf, sendingOf } from './perform.js'
import { byOf, typedIn } from './sent-form.js'
import { type About, idIn, type Subject, subjectPath } from './subject.js'
import { latinDigits, readTypedAmount } from './typed-amount.js'

type Pages<Deps> = ConsolePages & Deps

/** One act, for one request. */
interface Wanted<Deps> {
  readonly act: Act<Deps>
  readonly id: string
  /** The acts of all capabilities. */
  readonly acts?: readonly Act<Deps>[]
  /** What was typed: in the query, or in the form. */
  readonly typed: Typed
}

export function actPages<Deps extends ActDeps>(
  app: App,
  pages: Pages<Deps>,
  acts: readonly Act<Deps>[],
): void {
  for (const act of acts) {
    const path = `/console${act.on.path}/${verbOf(act)}`
    const hidden = forOperators(pages)
    const idOf = (request: FastifyRequest) => idIn(act.on, Object(request.params))

    app.get(path, hidden, (request, reply) => {
      const closed = act.asksByPost ? (act.secret ?? []) : []
      const names = Object.keys(Object(request.query)).filter((name) => !closed.includes(name))
      const typed = Object.fromEntries(names.map((name) => [name, queryOf(request, name) ?? '']))
      return sendActPage(pages, request, reply, { act, acts, id: idOf(request), typed })
    })

    app.post(path, hidden, async (request, reply) => {
      const typed = typedIn(request)
      const wanted = { act, acts, id: idOf(request), typed }
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

/** It can be put right in the form, which is none of another site. */
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

/** Those on `subject` that this operator may do now. `file`: everything known of it. */
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

/** So many stand open; the others are folded, and those that take something away stand apart. */
const OPEN_MAX = 3

/** `first` leads elsewhere, and counts as one of the open ones. */
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

/** Links to an act from a cell of a table, for those who may do it. */
export function ActLink<Deps>({ pages, view, act, id = '' }: LinkToAct<Deps>) {
  return mayDo(view.session.operator, act) ? (
    <a class="line" href={pathOfAct(pages, act, id)} safe>
      {titleOf(act, view)}
    </a>
  ) : null
}

/** What was asked for on the page of an act was not done, as `done` writes it in the address. */
export function isUndone(request: FastifyRequest): boolean {
  return ['refused', 'changed'].some((name) => queryOf(request, name) !== undefined)
}

async function done<Deps extends ActDeps>(
  pages: Pages<Deps>,
  request: FastifyRequest,
  reply: FastifyReply,
  { act, id, typed }: Wanted<Deps>,
): Promise<FastifyReply> {
  const view = viewOf(pages, request, reply)
  const by = byOf(pages, request, isReasonRequired(act))
  const sending = await sendingOf(act, pages, { id, input: typed, by })
  // Once it is done, its fields may be those of another state.
  const isRepeated = (await sending.find()) !== null
  const fields = isRepeated ? [] : await fieldsOf(pages, view, { act, id, typed })
  const why = by.reason === null ? {} : { why: by.reason }
  const input = isRepeated ? {} : { ...inputIn(act.wanted, fields, typed), ...why }
  requireAllowed(act, by.operator, input)
  const call = { id, input, by }
  const page = pageAfter(pages, act, id, sending.about)
  const goTo = (query: string) => reply.headers(pages.headers).redirect(`${page}?${query}`, 303)
  const performed = await perform(act, pages, call, sending).catch((error: unknown) => {
    if (error instanceof BillingError) return error
    throw error
  })
  const isRefusal = performed instanceof BillingError
  if (!isRefusal && performed.kind === 'done' && act.page) {
    const { html, headers } = act.page(pages, view, { outcome: performed.outcome, typed, next: page })
    return reply.headers(headers).send(html)
  }
  const found = !isRefusal && performed.kind === 'done_before' ? performed.found : await sending.find()
  if (found?.isRefused) return goTo(`refused=${found.id}`)
  // What it made is not shown again.
  if (found) return goTo(`${act.page ? 'shown' : 'done'}=${found.id}`)
  if (isRefusal && (performed.extra.changed || ![404, 409].includes(ERRORS[performed.code]))) throw performed
  return goTo('changed=1')
}

/** `sent`: the form was sent. Without a refusal it had other values than those shown. */
async function sendActPage<Deps extends ActDeps>(
  pages: Pages<Deps>,
  request: FastifyRequest,
  reply: FastifyReply,
  { act, acts = [], id, typed }: Wanted<Deps>,
  sent: { readonly refusal: BillingError | null } | null = null,
): Promise<FastifyReply> {
  const view = viewOf(pages, request, reply)
  requireRole(view.session.operator, act)
  const about = await act.on.about(pages, id, typed)
  const backPath = pageAfter(pages, act, id, about)
  const file = act.on.file?.(pages)
  const known = act.isOffered && file ? await file.read(id) : null
  if (known && act.isOffered?.(known, pages) === false)
    return reply.headers(pages.headers).redirect(`${backPath}?changed=1`, 303)
  const fields = await fieldsOf(pages, view, { act, id, typed })
  const tried = await tryPlan(pages, view, { act, id, typed }, fields)
  const isSent = sent !== null || fields.some(({ name }) => typed[name] !== undefined)
  const wrong = 'refusal' in tried ? tried : sent
  if ('refusal' in tried && isSent) reply.code(ERRORS[tried.refusal.code])
  return sendPage(
    pages,
    reply,
    actPage(pages, view, {
      title: titleOf(act, view),
      about: about.label?.(pages.formats, view.locale),
      text: codeInWords(view, 'text', act.name),
      // A page of another site that leads here reads no file in the operator's name.
      safeBeside: isFromAnotherSite(request) ? null : ((await act.beside?.(pages, view, id)) ?? null),
      path: pathOfAct(pages, act, id),
      ...{ backPath, fields, isReasonRequired: isReasonRequired(act) },
      others: othersOf(pages, view, { act, acts, id, known }),
      secret: act.secret ?? [],
      plan: 'refusal' in tried ? null : tried,
      sent: isSent && wrong ? { typed, refusal: wrong.refusal } : null,
    }),
  )
}

/**
 * A subject with a file has a page that says what can be done to it; only what is decided by the same look is
 * named here too.
 */
function othersOf<Deps>(
  pages: Pages<Deps>,
  view: View,
  of: Pick<Wanted<Deps>, 'act' | 'id'> & { readonly acts: readonly Act<Deps>[]; readonly known: unknown },
) {
  const { act, acts, id, known } = of
  if (id === '' || (act.on.file && !act.beside)) return []
  return actsOffered({ acts }, view, { subject: act.on, file: known, deps: pages })
    .filter((one) => one !== act && one.beside === act.beside)
    .map((one) => ({ href: pathOfAct(pages, one, id), label: titleOf(one, view) }))
}

/** What it would change; a refusal where the fields can put it right. */
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

/** With what was typed; what was cleared is empty. */
async function fieldsOf<Deps extends ActDeps>(
  pages: Pages<Deps>,
  view: View,
  { act, id, typed }: Wanted<Deps>,
): Promise<readonly Field[]> {
  const fields = await askedBy(pages, view, { act, id, typed })
  return fields.map((field) => ({ ...field, value: typed[field.name] ?? field.value }))
}

/** Absent: what must be said, as its schema describes it. */
export async function askedBy<Deps>(
  pages: Pages<Deps>,
  view: View,
  { act, id, typed }: Wanted<Deps>,
): Promise<readonly Field[]> {
  if (act.fields) return act.fields(pages, view, { id, typed })
  return Object.entries(act.wanted.properties)
    .filter(([name]) => act.wanted.required?.includes(name))
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

/** What is no number stays text, which the schema refuses. */
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

/** Where an act begins, for links to it. */
export function pathOfAct(
  { base }: Pick<ConsolePages, 'base'>,
  act: Pick<Act, 'on' | 'name'>,
  id: string,
): string {
  return `${base}/console${subjectPath(act.on, id)}/${verbOf(act)}`
}

/** The page that tells what was done. */
function pageAfter<Deps>(
  { base }: Pick<ConsolePages, 'base'>,
  { on }: Act<Deps>,
  id: string,
  about: About,
): string {
  return `${base}${on.page?.(id, about) ?? `/console${subjectPath(on, id)}`}`
}
