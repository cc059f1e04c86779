// The page of an act: its fields, its changes and the reason. A hidden field names the form, so that a form
// that is sent twice acts once. Others have the values and the version that were shown, so that the operator
// confirms nothing else. The input and the operator's call are read from a sent form here too.
import type { TObject, TSchema } from 'typebox'
import { BillingError, wrongField } from '../core/error.js'
import type { Operator } from '../core/role.js'
import { checker } from '../http/schemas.js'
import { CATALOGS } from '../i18n/messages.js'
import { type ConsolePages, renderConsole, type View } from '../pages/console-frame.js'
import { type Column, Facts, Table, Text } from '../pages/console-parts.js'
import { codeInWords, obstaclesInWords } from '../pages/console-words.js'
import { type Field, Input, type Typed } from '../pages/field.js'
import { FormToken, LinkButton, SubmitButton } from '../pages/parts.js'
import { randomToken } from '../runtime/secret.js'
import { type Act, type ActPlan, type Change, isReason, isUnchanged } from './act.js'
import { titleOf } from './act-links.js'
import type { Requester } from './audit.sql.js'
import { type ChangeInWords, changesInWords } from './changes.js'
import { latinDigits, readTypedAmount } from './typed-amount.js'

interface ActPage {
  readonly act: Pick<Act, 'name' | 'input' | 'secret'>
  /** Names the payment or user that it is done to. */
  readonly about: string | undefined
  readonly safeBeside: JSX.Element | null
  /** The form is sent to `path`; "cancel" leads to `backPath`. */
  readonly path: string
  readonly backPath: string
  readonly others: readonly { readonly href: string; readonly label: string }[]
  readonly fields: readonly Field[]
  /** Null: the values are not enough to show the changes. */
  readonly plan: ActPlan | null
  /** Null: the form was not sent. A null refusal: a value was changed after the changes were shown. */
  readonly sent: { readonly typed: Typed; readonly refusal: BillingError | null } | null
}

export function actPage(pages: ConsolePages, view: View, page: ActPage): string {
  const { say, session } = view
  const { act, about, safeBeside, path, fields, plan, sent } = page
  const title = titleOf(act, view)
  const form = sent && { typed: sent.typed, problems: sent.refusal?.problems ?? [] }
  // The address of the page in another language has these fields. Secret ones must not be in an address.
  const open = fields.filter(({ name }) => !act.secret?.includes(name))
  const values = open.map(({ name, value }) => [name, value])
  const asked = plan ? [...fields.filter(({ name }) => name !== 'why'), reasonField(page, view)] : fields
  return renderConsole(pages, {
    ...view,
    title,
    languagePath: open.length === 0 ? path : `${path}?${new URLSearchParams(values)}`,
    safeContent: (
      <div class={safeBeside === null ? undefined : 'beside'}>
        {safeBeside === null ? null : (
          <section class="card" aria-label={say('toLookAt')}>
            {safeBeside}
          </section>
        )}
        <section class="card">
          <h1 safe>{title}</h1>
          {about === undefined ? null : (
            <p class="soft">
              <Text>{about}</Text>
            </p>
          )}
          <p safe>{codeInWords(view, 'text', act.name)}</p>
          {sent === null ? null : (
            <p class="over" role="alert" safe>
              {whyShownAgain(view, sent.refusal)}
            </p>
          )}
          {plan ? <Changes {...{ pages, view }} changes={plan.changes} /> : null}
          <form method="post" action={path}>
            <FormToken session={session} />
            {Object.entries(hiddenIn(page)).map(([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ))}
            {asked.map((field) => (
              <Input {...{ view, field }} sent={form} isRequired={!field.isOptional} />
            ))}
            <p class="actions">
              <SubmitButton label={say(plan ? 'confirm' : 'showChange')} />
              <LinkButton href={page.backPath} label={say('cancel')} />
              {page.others.map((other) => (
                <LinkButton {...other} />
              ))}
            </p>
          </form>
        </section>
      </div>
    ),
  })
}

/** `shown` has the values for which the changes are shown. */
function hiddenIn({ fields, plan }: ActPage): Typed {
  const operation_id = randomToken(16)
  if (!plan) return { operation_id }
  const shown = fields.filter(({ name, isLast }) => name !== 'why' && !isLast)
  const values = new URLSearchParams(shown.map(({ name, value }) => [name, value]))
  return { operation_id, version: String(plan.version), shown: values.toString(), ...plan.carried }
}

/** Whether the form was sent with the values for which the changes were shown. */
export function isAsShown(shown: string, typed: Typed): boolean {
  return [...new URLSearchParams(shown)].every(([name, value]) => (typed[name] ?? '') === value)
}

function reasonField({ act, fields }: ActPage, { say }: View): Field {
  const own = fields.find(({ name }) => name === 'why')
  const usual = { name: 'why', label: say('reasonLabel'), value: '', type: 'text' as const }
  return { ...usual, ...own, ...(!isReasonRequired(act) && { isOptional: true }) }
}

function whyShownAgain(view: View, refusal: BillingError | null): string {
  const { say, locale } = view
  if (refusal === null) return say('formEntered')
  if (refusal.extra.changed === true) return say('formChanged')
  if (refusal.problems.length > 0) return say('formProblem')
  const held = obstaclesInWords(view, refusal.extra)
  if (held !== '') return say('heldText', { held })
  const { title, detail } = CATALOGS[locale].error[refusal.code]
  return `${title}: ${detail}`
}

const CHANGES: readonly Column<ChangeInWords>[] = [
  { head: 'what', text: ({ name }) => name, isName: true },
  { head: 'before', text: ({ before }) => before },
  { head: 'after', text: ({ after }) => after },
]

/** Values that stay are facts above the table of those that change. */
function Changes(of: { pages: ConsolePages; view: View; changes: readonly Change[] }) {
  const { pages, view, changes } = of
  const inWords = (some: readonly Change[]) => changesInWords(pages, view, some)
  const known = inWords(changes.filter(isUnchanged))
  const rows = inWords(changes.filter((change) => !isUnchanged(change)))
  return (
    <>
      <Facts facts={known.map(({ name, after }) => [name, after === '' ? null : after])} />
      {rows.length === 0 ? null : <Table {...{ pages, view, rows }} columns={CHANGES} />}
    </>
  )
}

/** The fields of the form, each with its typed text, else its default. A cleared field stays empty. */
export async function fieldsOf<Deps>(
  pages: ConsolePages & Deps,
  view: View,
  { act, id, typed }: { readonly act: Act<Deps>; readonly id: string; readonly typed: Typed },
): Promise<readonly Field[]> {
  const fields = act.fields ? await act.fields(pages, view, { id, typed }) : requiredFields(act.withoutReason)
  return fields.map((field) => ({ ...field, value: typed[field.name] ?? field.value }))
}

function requiredFields({ properties, required = [] }: { properties: object; required?: readonly string[] }) {
  return Object.entries(properties)
    .filter(([name]) => required.includes(name))
    .map(([name, { type, description = name, enum: choices }]): Field => {
      const label = description.charAt(0).toUpperCase() + description.slice(1)
      const field = { name, label, value: '', type: type === 'integer' ? 'number' : 'text' } as const
      return choices ? { ...field, choices: choices.map((choice: string) => [choice, choice]) } : field
    })
}

/** A field with `read` computes its members of the input itself. Throws `validation_failed`. */
export function inputFromForm(schema: TObject, fields: readonly Field[], typed: Typed): object {
  for (const { name, most } of fields)
    if (most !== undefined && Number(latinDigits(typed[name] ?? '')) > most)
      throw wrongField(name, 'too_large', most)
  const computed = fields.filter(({ read }) => read)
  const members = Object.entries<TSchema>(schema.properties).flatMap(([name, member]) => {
    const text = (typed[name] ?? '').trim()
    const isComputed = computed.some((field) => field.name === name)
    return text === '' || isComputed ? [] : [[name, readMember(member, text)] as const]
  })
  const input = Object.assign(Object.fromEntries(members), ...computed.map(({ read }) => read?.(typed)))
  return checker<object>(schema)(input)
}

/** Reads a text as its schema says. A text that is not a number stays text, which the schema refuses. */
function readMember(schema: TSchema, text: string): string | number {
  const { type } = Object(schema)
  if (type === 'number') return Number(text)
  if (type !== 'integer') return text
  const [, sign = '', figure = ''] = /^([-\u2212]?)(.*)$/s.exec(text) ?? []
  const read = readTypedAmount(figure)
  return read.kind === 'dinars' ? (sign === '' ? read.dinars : -read.dinars) : text
}

function isReasonRequired({ input }: Pick<Act, 'input'>): boolean {
  return input.required?.includes('why') ?? false
}

/** Also reads the hidden fields that our own page sends. Throws `validation_failed`. */
export function requesterFromForm(operator: Operator, act: Pick<Act, 'input'>, typed: Typed): Requester {
  const { why = '', operation_id: operationId = '', version = '' } = typed
  const reason = why.trim()
  const problems = [
    ...(reason === '' && isReasonRequired(act) ? [{ pointer: '/why', code: 'required' as const }] : []),
    ...(reason === '' || isReason(reason) ? [] : [{ pointer: '/why', code: 'invalid' as const }]),
    ...(/^[\w-]{22}$/.test(operationId) ? [] : [{ pointer: '/operation_id', code: 'invalid' as const }]),
    ...(/^\d{1,15}$/.test(version) ? [] : [{ pointer: '/version', code: 'invalid' as const }]),
  ]
  if (problems.length > 0) throw new BillingError('validation_failed', { problems })
  return { operator, reason: reason || null, operationId, seenVersion: Number(version) }
}
