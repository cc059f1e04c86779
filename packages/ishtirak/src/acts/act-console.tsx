// The pages of an act in the console: the question where something is asked first, the page that shows what
// changes and asks once more, and what its form does. A page of its own may take their place.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BillingError, wrongField } from '../core/error.js'
import { mayDo, requireRole } from '../core/role.js'
import { latinDigits } from '../core/typed-amount.js'
import type { App } from '../http/app.js'
import { validatorCompiler } from '../http/schemas.js'
import {
  addressOf,
  type ConsolePages,
  Facts,
  renderConsole,
  sendPage,
  type View,
} from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { FormToken, LinkButton } from '../pages/portal-frame.js'
import { fieldOf, queryOf } from '../pages/reader.js'
import { randomToken } from '../runtime/secret.js'
import { type Act, type ActDeps, verbOf } from './act.js'
import { actPage, type Field, questionPage, type SentForm } from './act-page.js'
import { changesInWords } from './changes.js'
import type { Shown, Typed } from './form.js'
import { perform, previewOf, sendingOf } from './perform.js'
import { byOf, isAsShown, isOvertaken, orAgain, refusalOrThrow, typedIn } from './sent-form.js'
import { type About, idIn, type Subject, subjectPath } from './subject.js'

type Pages<Deps> = ConsolePages & Deps

/** Of one act, for one request. */
interface Wanted<Deps> {
  readonly act: Act<Deps>
  readonly id: string
  /** What was typed: in the query of the question, or in the form. */
  readonly typed: Typed
  /** Of a form that was sent already; null: none was. */
  readonly problems: SentForm['problems'] | null
}

export function actPages<Deps extends ActDeps>(
  app: App,
  pages: Pages<Deps>,
  acts: readonly Act<Deps>[],
): void {
  for (const act of acts.filter(({ form }) => form !== null)) {
    const path = `/console${act.on.path}/${verbOf(act)}`
    const hidden = forOperators(pages)
    const idOf = (request: FastifyRequest) => idIn(act.on, Object(request.params))

    app.get(path, hidden, (request, reply) => {
      const names = act.asksByPost ? [] : Object.keys(Object(request.query))
      const typed = Object.fromEntries(names.map((name) => [name, queryOf(request, name) ?? '']))
      return sendAskPage(pages, request, reply, { act, id: idOf(request), typed, problems: null })
    })

    app.post(path, hidden, (request, reply) => {
      const wanted = { act, id: idOf(request), typed: typedIn(request) }
      if (act.asksByPost && fieldOf(request, 'version') === '') {
        pages.reader.requireOwnForm(request, pages.operatorsHere.of(request))
        return sendAskPage(pages, request, reply, { ...wanted, problems: null })
      }
      return orAgain(
        () => namingFields(act, () => done(pages, request, reply, wanted)),
        (problems) => sendAskPage(pages, request, reply.code(422), { ...wanted, problems }),
      )
    })
  }
}

/** Those on `subject` that this operator may do now. `file`: everything known of it. */
export function actsOffered<Deps, File>(
  { acts }: { readonly acts: readonly Act<Deps>[] },
  { session }: View,
  of: { readonly subject: Subject<never, File>; readonly file: File; readonly deps: Deps },
): readonly Act<Deps>[] {
  return acts.filter(
    (act) =>
      act.on.name === of.subject.name &&
      act.form !== null &&
      mayDo(session.operator, act) &&
      act.form?.isPossible?.(of.deps) !== false &&
      act.form?.isOffered?.(of.file) !== false,
  )
}

/** Its title where it is done to this one: for lists of what can be done. */
export function titleOf({ texts }: Pick<Act, 'texts'>, { locale }: Pick<View, 'locale'>): string {
  return texts.title[locale]
}

/** What a button on the page of a user sends, so that its answer stands there. */
const FROM_USER = 'user'

/** What leads to the form of an act; one that acts at once is a form itself. */
export function ActButton<Deps>(of: {
  readonly pages: ConsolePages
  readonly view: View
  readonly act: Act<Deps>
  readonly id: string
  readonly onUser?: true
}) {
  const { pages, view, act, id, onUser } = of
  const [path, label] = [pathOfAct(pages, act, id), titleOf(act, view)]
  if (!act.form?.atOnce) return <LinkButton href={path} label={label} />
  return (
    <form method="post" action={path}>
      <FormToken session={view.session} />
      <input type="hidden" name="operation_id" value={randomToken(16)} />
      {onUser ? <input type="hidden" name="from" value={FROM_USER} /> : null}
      <button type="submit" safe>
        {label}
      </button>
    </form>
  )
}

/** What was asked for on the page of an act was not done, as `done` writes it in the address. */
export function isUndone(request: FastifyRequest): boolean {
  return ['refused', 'changed'].some((name) => queryOf(request, name) !== undefined)
}

async function done<Deps extends ActDeps>(
  pages: Pages<Deps>,
  request: FastifyRequest,
  reply: FastifyReply,
  { act, id, typed }: Pick<Wanted<Deps>, 'act' | 'id' | 'typed'>,
): Promise<FastifyReply> {
  // A button that acts has shown nothing before.
  const isShown = !act.form?.atOnce || fieldOf(request, 'version') !== ''
  const by = byOf(pages, request, { isReasonRequired: isReasonRequired(act), isShown })
  requireRole(by.operator, act)
  const decides = fieldOf(request, 'shown') !== ''
  if (decides && !isAsShown(request)) throw new BillingError('validation_failed')
  const why = by.reason === null ? {} : { why: by.reason }
  const call = { id, input: { ...inputIn(pages, act, typed, id), ...why }, by }
  const sending = await sendingOf(act, pages, call)
  const { userId } = sending.about
  const isFromUser = fieldOf(request, 'from') === FROM_USER
  const page = isFromUser ? addressOf(pages.base, 'users', userId) : pageAfter(pages, act, id, sending.about)
  const goTo = (query: string) => reply.headers(pages.headers).redirect(`${page}?${query}`, 303)
  const performed = await perform(act, pages, call, sending).catch(refusalOrThrow)
  const isRefusal = performed instanceof BillingError
  if (!isRefusal && performed.kind === 'done' && act.form?.answers) {
    const { outcome } = performed
    const { html, headers } = act.form.answers(pages, viewOf(pages, request, reply), { outcome, typed })
    return reply.headers(headers).send(html)
  }
  if (!isRefusal && performed.kind === 'done' && act.form?.shownOnce) {
    const secret = act.form.shownOnce(performed.outcome)
    return sendPage(pages, reply, oncePage(pages, viewOf(pages, request, reply), { act, page, secret }))
  }
  // It can be asked again, in a form of its own.
  if (isRefusal && act.form?.wrongFields?.(performed)) throw performed
  const found = !isRefusal && performed.kind === 'done_before' ? performed.found : await sending.find()
  if (found && !found.isRefused && act.form?.answers) return goTo(`shown=${found.id}`)
  if (found) return goTo(`${found.isRefused ? 'refused' : 'done'}=${found.id}`)
  if (isRefusal && act.form?.atOnce) return goTo(`unanswered=${performed.code}`)
  if (isRefusal && !isOvertaken(performed)) throw performed
  return goTo('changed=1')
}

/** A secret that nothing shows again. */
function oncePage<Deps>(
  pages: Pages<Deps>,
  view: View,
  { act, page, secret }: { readonly act: Act<Deps>; readonly page: string; readonly secret: string },
): string {
  const title = titleOf(act, view)
  return renderConsole(pages, {
    ...view,
    title,
    languagePath: page,
    safeContent: (
      <section class="card" role="status">
        <h1 safe>{title}</h1>
        <p safe>{view.say('shownOnce')}</p>
        <p>
          <code dir="ltr" class="secret" safe>
            {secret}
          </code>
        </p>
        <p class="actions">
          <LinkButton href={page} label={view.say('writtenDown')} />
        </p>
      </section>
    ),
  })
}

/** The question, or the page that asks once more; the question again where its answer cannot be acted on. */
async function sendAskPage<Deps extends ActDeps>(
  pages: Pages<Deps>,
  request: FastifyRequest,
  reply: FastifyReply,
  wanted: Wanted<Deps>,
): Promise<FastifyReply> {
  const { act, id, typed, problems } = wanted
  const view = viewOf(pages, request, reply)
  requireRole(view.session.operator, act)
  const about = await act.on.about(pages, id, typed)
  const backPath = pageAfter(pages, act, id, about)
  if (!(await isOffered(act, pages, id)))
    return reply.headers(pages.headers).redirect(`${backPath}?changed=1`, 303)
  const fields = await fieldsOf(pages, view, wanted)
  const asks = askedFirst(act, fields)
  const page = {
    title: act.texts.title[view.locale],
    ...(about.label && { about: about.label(pages.formats, view.locale) }),
    text: act.texts.text[view.locale],
    path: pathOfAct(pages, act, id),
    backPath,
    asksByPost: act.asksByPost !== undefined,
  }
  const ask = (sent: SentForm | null) =>
    sendPage(pages, reply, questionPage(pages, view, { ...page, fields, sent }))
  if (asks !== undefined && (typed[asks] ?? '') === '' && problems === null) return ask(null)
  const values = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
  // Of a form that was sent, what was cleared is missing.
  const given = problems === null ? { ...typed, ...values } : { ...values, ...typed }
  const shown = await orProblems(act, async () => {
    requireWithin(fields, given)
    return show(pages, view, wanted, given)
  })
  if (asks !== undefined && shown.problems.length > 0) {
    reply.code(422)
    return ask({ typed: given, problems: shown.problems })
  }
  const sent = problems && { typed, problems: [...problems, ...shown.problems] }
  // What was asked first stands in the form as it was answered.
  const hidden = shown.hidden && { hidden: shown.hidden }
  const asked =
    asks === undefined ? { fields, ...hidden } : { hidden: shown.hidden ?? answered(fields, given) }
  const reasonLabel = act.form?.reasonLabel?.(view)
  return sendPage(
    pages,
    reply,
    actPage(pages, view, {
      ...page,
      ...shown,
      ...asked,
      isReasonRequired: isReasonRequired(act),
      ...(reasonLabel !== undefined && { reasonLabel }),
      reason: act.form?.reason?.(view) ?? '',
      sent,
    }),
  )
}

/** By which field a question that comes first is answered. */
function askedFirst<Deps>({ form }: Act<Deps>, fields: readonly Field[]): string | undefined {
  if (form?.asks === null) return undefined
  return form?.asks ?? fields.find(({ value }) => value === '')?.name
}

/** What may be chosen last, as it is shown. */
function assuming<Deps>({ form }: Act<Deps>, typed: Typed): Typed {
  const open = Object.entries(form?.assumes ?? {}).filter(([name]) => (typed[name] ?? '') === '')
  return { ...typed, ...Object.fromEntries(open) }
}

async function isOffered<Deps extends ActDeps>(
  { on, form }: Act<Deps>,
  pages: Pages<Deps>,
  id: string,
): Promise<boolean> {
  const file = on.file?.(pages)
  return !form?.isOffered || !file || form.isOffered(await file.read(id))
}

function answered(fields: readonly Field[], given: Typed): Typed {
  return Object.fromEntries(
    fields.map(({ name }) => [name, given[name] ?? '']).filter(([, value]) => value !== ''),
  )
}

async function fieldsOf<Deps extends ActDeps>(
  pages: Pages<Deps>,
  view: View,
  { act, id, typed }: Wanted<Deps>,
): Promise<readonly Field[]> {
  const fields = act.form?.fields ? await act.form.fields(pages, view, id) : fieldsByInput(act)
  return fields.map((field) => ({ ...field, value: typed[field.name] || field.value }))
}

/** What must be said, as its schema describes it. */
export function fieldsByInput({ asked }: Act): readonly Field[] {
  return Object.entries(asked.properties)
    .filter(([name]) => asked.required?.includes(name))
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
export function inputIn<Deps>(pages: Pages<Deps>, act: Act<Deps>, typed: Typed, id: string): object {
  if (act.form?.read) return act.form.read(pages, typed, id)
  const entries = Object.entries(act.asked.properties).flatMap(([name, schema]) => {
    const text = (typed[name] ?? '').trim()
    const { type }: SchemaWords = Object(schema)
    const digits = latinDigits(text).replace(/\s/g, '')
    return text === '' ? [] : [[name, type === 'integer' && /^\d+$/.test(digits) ? Number(digits) : text]]
  })
  const input = Object.fromEntries(entries)
  const checked = validatorCompiler({ schema: act.asked, method: '', url: '' })(input)
  if (typeof checked === 'object' && checked && 'error' in checked && checked.error) throw checked.error
  return input
}

/** Throws `validation_failed`. */
function requireWithin(fields: readonly Field[], given: Typed): void {
  for (const { name, most } of fields)
    if (most !== undefined && Number(latinDigits(given[name] ?? '')) > most)
      throw wrongField(name, 'too_large', most)
}

async function show<Deps extends ActDeps>(
  pages: Pages<Deps>,
  view: View,
  { act, id }: Wanted<Deps>,
  typed: Typed,
): Promise<Shown> {
  const by = { operator: view.session.operator, reason: null }
  const input = inputIn(pages, act, assuming(act, typed), id)
  const preview = await previewOf(act, pages, { id, input, by })
  const { facts, safeMore, ...words } = act.form?.inWords?.(pages, view, preview, typed) ?? {}
  return {
    version: preview.version,
    changes: changesInWords(pages, view, preview.changes),
    ...words,
    safeMore: (
      <>
        {facts ? <Facts facts={facts} /> : null}
        {safeMore ?? null}
      </>
    ),
  }
}

/** Of figures that cannot be right nothing is shown: they are asked for again. */
async function orProblems<Deps>(
  act: Act<Deps>,
  work: () => Promise<Shown>,
): Promise<Shown & Pick<SentForm, 'problems'>> {
  try {
    return { ...(await namingFields(act, work)), problems: [] }
  } catch (error) {
    if (!(error instanceof BillingError) || error.problems.length === 0) throw error
    return { version: 0, changes: [], problems: error.problems }
  }
}

/** Throws `validation_failed` instead of what says the same by a code of its own. */
async function namingFields<Deps, Value>({ form }: Act<Deps>, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    const fields = error instanceof BillingError ? form?.wrongFields?.(error) : undefined
    if (!fields) throw error
    const problems = fields.map((name) => ({ pointer: `/${name}`, code: 'not_allowed' as const }))
    throw new BillingError('validation_failed', { problems, cause: error })
  }
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
