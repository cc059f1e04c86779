// The page of an act in the console, and what its form does. An operator confirms exactly what was shown: if
// the values or the facts have changed since then, the form is shown again.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BillingError, ERRORS } from '../core/error.js'
import { requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import { type ConsolePages, sendPage, type View } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import type { Field, Typed } from '../pages/field.js'
import { isFromAnotherSite, queryOf } from '../pages/reader.js'
import { type Act, type ActDeps, type ActPlan, verbOf } from './act.js'
import { actsOffered, pathOfAct, titleOf } from './act-links.js'
import { actPage, fieldsOf, inputFromForm, isAsShown, requesterFromForm } from './act-page.js'
import { findEarlierAct, perform, planOf } from './perform.js'
import { type About, idIn, subjectPath } from './subject.js'

type Pages<Deps> = ConsolePages & Deps & { readonly acts: readonly Act<Deps>[] }

/** One request for the page of an act, by an operator whose role allows the act. */
interface ActPageRequest<Deps> {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly view: View
  readonly act: Act<Deps>
  readonly id: string
  readonly typed: Typed
}

export function actPages<Deps extends ActDeps>(app: App, pages: Pages<Deps>): void {
  for (const act of pages.acts) {
    const path = `/console${act.on.path}/${verbOf(act)}`
    const askedBy = (request: FastifyRequest, reply: FastifyReply, typed: Typed): ActPageRequest<Deps> => {
      const view = viewOf(pages, request, reply)
      requireRole(view.session.operator, act)
      return { request, reply, view, act, id: idIn(act.on, Object(request.params)), typed }
    }

    app.get(path, forOperators(pages), async (request, reply) => {
      const hidden = act.secret ?? []
      const names = Object.keys(Object(request.query)).filter((name) => !hidden.includes(name))
      const typed = Object.fromEntries(names.map((name) => [name, queryOf(request, name) ?? '']))
      return sendActPage(pages, askedBy(request, reply, typed))
    })

    app.post(path, forOperators(pages), async (request, reply) => {
      pages.reader.requireOwnForm(request, pages.operatorsHere.of(request))
      // If a field was sent twice, its first value counts, as in `fieldOf`.
      const typed: Typed =
        request.body instanceof URLSearchParams ? Object.fromEntries([...request.body].reverse()) : {}
      const asked = askedBy(request, reply, typed)
      if (typed.version === undefined) return sendActPage(pages, asked)
      if (!isAsShown(typed.shown ?? '', typed)) {
        reply.code(422)
        return sendActPage(pages, asked, { refusal: null })
      }
      try {
        return await doAndRedirect(pages, asked)
      } catch (error) {
        if (!(error instanceof BillingError) || !isCorrectable(error)) throw error
        reply.code(ERRORS[error.code])
        return sendActPage(pages, asked, { refusal: error })
      }
    })
  }
}

/** A wrong `operation_id` or `version` did not come from our page, so the form is not shown again. */
function isCorrectable({ code, extra, problems }: BillingError): boolean {
  const isOurs = problems.every(({ pointer }) => !['/operation_id', '/version'].includes(pointer))
  return extra.changed === true || (ERRORS[code] === 422 && isOurs)
}

/** Whether the address says that an act was not done: it was refused, or the facts had changed. */
export function isUndone(request: FastifyRequest): boolean {
  return ['refused', 'changed'].some((name) => queryOf(request, name) !== undefined)
}

async function doAndRedirect<Deps extends ActDeps>(
  pages: Pages<Deps>,
  asked: ActPageRequest<Deps>,
): Promise<FastifyReply> {
  const { reply, view, act, id, typed } = asked
  const by = requesterFromForm(view.session.operator, act, typed)
  const about = await act.on.about(pages, id, typed)
  // After the act the form may have other fields, so they are read before an earlier act is looked for.
  const fields = fieldsOf(pages, view, asked)
  await fields.catch(() => undefined)
  const earlier = await findEarlierAct(act, pages, { id, input: typed, by }, about)
  const input = earlier ? {} : inputFromForm(act.withoutReason, await fields, typed)
  const call = { id, input: { ...input, ...(by.reason !== null && { why: by.reason }) }, by }
  const page = pageAfter(pages, act, id, about)
  const performed = await perform(act, pages, call, { about, earlier }).catch(async (error: unknown) => {
    if (!(error instanceof BillingError)) throw error
    // The trail may have an entry although the act threw: for the refusal, or because only `finish` failed.
    const found = await findEarlierAct(act, pages, call, about)
    if (found) return { kind: 'done_before', found } as const
    if (error.extra.changed || ![404, 409].includes(ERRORS[error.code])) throw error
    return null
  })
  if (performed?.kind === 'done' && act.page) {
    const { html, headers } = act.page(pages, view, { outcome: performed.outcome, typed, next: page })
    return reply.headers(headers).send(html)
  }
  const found =
    performed?.kind === 'done_before' ? performed.found : await findEarlierAct(act, pages, call, about)
  // `shown`: the result was a page that is shown only once.
  const query = found?.isRefused ? 'refused' : act.page ? 'shown' : 'done'
  return reply.headers(pages.headers).redirect(`${page}?${found ? `${query}=${found.id}` : 'changed=1'}`, 303)
}

/** `sent`: the form was sent and not accepted. A null refusal: its values were not those that were shown. */
async function sendActPage<Deps extends ActDeps>(
  pages: Pages<Deps>,
  asked: ActPageRequest<Deps>,
  sent: { readonly refusal: BillingError | null } | null = null,
): Promise<FastifyReply> {
  const { request, reply, view, act, id, typed } = asked
  const about = await act.on.about(pages, id, typed)
  const backPath = pageAfter(pages, act, id, about)
  const known = act.isOffered ? ((await act.on.file?.(pages).read(id)) ?? null) : null
  if (known !== null && act.isOffered?.(known, pages) === false)
    return reply.headers(pages.headers).redirect(`${backPath}?changed=1`, 303)
  const fields = await fieldsOf(pages, view, asked)
  const { plan, refusal } = await tryPlan(pages, asked, fields)
  const isTyped = fields.some(({ name, type }) => type !== 'hidden' && typed[name] !== undefined)
  // A link may fill in some fields, and a choice may add fields: what was not asked for yet is not missing.
  const problems = refusal?.problems ?? []
  const isNew = problems.length > 0 && problems.every(({ pointer }) => typed[pointer.slice(1)] === undefined)
  const isSent = sent !== null || (isTyped && !isNew)
  if (refusal && isSent) reply.code(ERRORS[refusal.code])
  return sendPage(
    pages,
    reply,
    actPage(pages, view, {
      about: about.label?.(pages.formats, view.locale),
      // A link on another site must not open a file in the operator's name, which the trail would record.
      safeBeside: isFromAnotherSite(request) ? null : ((await act.beside?.(pages, view, id)) ?? null),
      path: pathOfAct(pages, act, id),
      ...{ act, backPath, fields, plan },
      others: othersOf(pages, asked, known),
      sent: isSent && (refusal || sent) ? { typed, refusal: refusal ?? sent?.refusal ?? null } : null,
    }),
  )
}

/** Links to the other acts that are decided by the same evidence, such as approve and refuse. */
function othersOf<Deps>(pages: Pages<Deps>, { view, act, id }: ActPageRequest<Deps>, known: unknown) {
  if (!act.beside) return []
  return actsOffered(pages, view, { subject: act.on, file: known, id })
    .filter(({ act: one }) => one !== act && one.beside === act.beside)
    .map(({ act: one }) => ({ href: pathOfAct(pages, one, id), label: titleOf(one, view) }))
}

/** The plan, or the refusal if the operator can correct a field of the form. */
async function tryPlan<Deps extends ActDeps>(
  pages: Pages<Deps>,
  { view, act, id, typed }: ActPageRequest<Deps>,
  fields: readonly Field[],
): Promise<{ readonly plan: ActPlan | null; readonly refusal: BillingError | null }> {
  const values = { ...typed, ...Object.fromEntries(fields.map(({ name, value }) => [name, value])) }
  try {
    const by = { operator: view.session.operator, reason: null }
    const call = { id, input: inputFromForm(act.withoutReason, fields, values), by }
    return { plan: await planOf(act, pages, call), refusal: null }
  } catch (error) {
    const isAnswer = error instanceof BillingError && [404, 409, 422].includes(ERRORS[error.code])
    if (!isAnswer || !fields.some(({ name, type }) => type !== 'hidden' && name !== 'why')) throw error
    return { plan: null, refusal: error }
  }
}

function pageAfter<Deps>({ base }: Pages<Deps>, { on }: Act<Deps>, id: string, about: About): string {
  return `${base}${on.page?.(id, about) ?? `/console${subjectPath(on, id)}`}`
}
