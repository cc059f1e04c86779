// The page of an act: what it asks, what it changes for what was typed, and the reason. Its form names the
// sending, what was typed and the version that was shown: sent twice it acts once, and nothing is done that
// was not shown.
import type { BillingError, ValidationCode } from '../core/error.js'
import { CATALOGS, problemInWords } from '../i18n/messages.js'
import { type ConsolePages, Facts, renderConsole, Text, type View } from '../pages/console-frame.js'
import { heldInWords } from '../pages/console-words.js'
import { FormToken, LinkButton, type SentForm, SubmitButton } from '../pages/portal-frame.js'
import { type Column, Table } from '../pages/table.js'
import { randomToken } from '../runtime/secret.js'
import { type ChangeInWords, changesInWords } from './changes.js'
import { type Change, stays } from './preview.js'

/** The fields of a form by their names, as text. */
export type Typed = Readonly<Record<string, string>>

/** A field of the form besides the reason. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly type: 'number' | 'date' | 'text' | 'hidden'
  /** Of a number: what this operator may say at most, where that is less than the act allows. */
  readonly most?: number
  /** It may be left out. */
  readonly isOptional?: true
  /** It may be chosen when all else was shown: what follows is the same for each choice. */
  readonly isLast?: true
  /** What a browser may fill in, by the name that HTML has for it. */
  readonly autocomplete?: string
  /** Instead of free text: values with their words. */
  readonly choices?: readonly (readonly [value: string, words: string])[]
  /** The members of the input that it gives, where it is none of them itself. Throws `validation_failed`. */
  readonly read?: (typed: Typed) => object
  /** What is wrong with what was typed, where it can be said better than by a code; null: by the code. */
  readonly explain?: (typed: string, code: ValidationCode) => string | null
}

interface ActPage {
  readonly title: string
  /** The payment or user that it is done to; absent where it is about none. */
  readonly about: string | undefined
  readonly text: string
  /** The evidence that an operator reads while they decide; null: none. */
  readonly safeBeside: JSX.Element | null
  /** Where the form is sent to, and where "cancel" leads. */
  readonly path: string
  readonly backPath: string
  /** What else can be done to the same, where it has no page that says so. */
  readonly others: readonly { readonly href: string; readonly label: string }[]
  readonly fields: readonly Field[]
  readonly isReasonRequired: boolean
  /** The fields that stand in no address. */
  readonly secret: readonly string[]
  /** Null: what was typed is not enough to show what changes. */
  readonly plan: {
    readonly version: number
    readonly changes: readonly Change[]
    readonly told?: Typed
  } | null
  /** Null: the form was not sent. Its refusal is null where what was sent is not what was shown. */
  readonly sent: { readonly typed: Typed; readonly refusal: BillingError | null } | null
}

export function actPage(pages: ConsolePages, view: View, page: ActPage): string {
  const { say, session } = view
  const { title, about, text, path, fields, plan } = page
  const sent = page.sent && { typed: page.sent.typed, problems: page.sent.refusal?.problems ?? [] }
  const open = fields.filter(({ name }) => !page.secret.includes(name))
  const values = open.map(({ name, value }) => [name, value])
  const asked = plan ? [...fields.filter(({ name }) => name !== 'why'), reasonField(page, view)] : fields
  return renderConsole(pages, {
    ...view,
    title,
    languagePath: open.length === 0 ? path : `${path}?${new URLSearchParams(values)}`,
    safeContent: (
      <div class={page.safeBeside === null ? undefined : 'beside'}>
        {page.safeBeside === null ? null : (
          <section class="card" aria-label={say('toLookAt')}>
            {page.safeBeside}
          </section>
        )}
        <section class="card">
          <h1 safe>{title}</h1>
          {about === undefined ? null : (
            <p class="soft">
              <Text>{about}</Text>
            </p>
          )}
          <p safe>{text}</p>
          {page.sent === null ? null : (
            <p class="over" role="alert" safe>
              {whyAgain(view, page.sent.refusal)}
            </p>
          )}
          {plan ? <Changes {...{ pages, view }} changes={plan.changes} /> : null}
          <form method="post" action={path}>
            <FormToken session={session} />
            <input type="hidden" name="operation_id" value={randomToken(16)} />
            {plan ? (
              <>
                <input type="hidden" name="version" value={String(plan.version)} />
                <input type="hidden" name="shown" value={shownIn(fields)} />
                {Object.entries(plan.told ?? {}).map(([name, value]) => (
                  <input type="hidden" name={name} value={value} />
                ))}
              </>
            ) : null}
            {asked.map((field) => (
              <Input {...{ view, field, sent }} isRequired={!field.isOptional} />
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

function reasonField({ fields, isReasonRequired }: ActPage, { say }: View): Field {
  const own = fields.find(({ name }) => name === 'why')
  const usual = { name: 'why', label: say('reasonLabel'), value: '', type: 'text' as const }
  return { ...usual, ...own, ...(!isReasonRequired && { isOptional: true }) }
}

function whyAgain(view: View, refusal: BillingError | null): string {
  const { say, locale } = view
  if (refusal === null || refusal.extra.changed === true) return say('formChanged')
  if (refusal.problems.length > 0) return say('formProblem')
  const { title, detail } = CATALOGS[locale].error[refusal.code]
  return `${title}: ${heldInWords(view, refusal.extra) || detail}`
}

const CHANGES: readonly Column<ChangeInWords>[] = [
  { head: 'what', text: ({ name }) => name, isName: true },
  { head: 'before', text: ({ before }) => before },
  { head: 'after', text: ({ after }) => after },
]

/** What stays is told first; what changes has both sides. */
function Changes(of: { pages: ConsolePages; view: View; changes: readonly Change[] }) {
  const { pages, view, changes } = of
  const known = changesInWords(pages, view, changes.filter(stays))
  const rows = changesInWords(
    pages,
    view,
    changes.filter((change) => !stays(change)),
  )
  return (
    <>
      <Facts facts={known.map(({ name, after }) => [name, after === '' ? null : after])} />
      {rows.length === 0 ? null : <Table {...{ pages, view, rows }} columns={CHANGES} />}
    </>
  )
}

/** What was typed when the changes were shown for it. */
function shownIn(fields: readonly Field[]): string {
  const shown = fields.filter(({ name, isLast }) => name !== 'why' && !isLast)
  return new URLSearchParams(shown.map(({ name, value }) => [name, value])).toString()
}

export function isAsShown(shown: string, typed: Typed): boolean {
  return [...new URLSearchParams(shown)].every(([name, value]) => (typed[name] ?? '') === value)
}

export function Input(of: {
  view: Pick<View, 'locale'>
  field: Field
  sent: SentForm | null
  isRequired: boolean
}) {
  const { view, field, sent, isRequired } = of
  const { name, label, type, choices } = field
  const value = sent?.typed[name] ?? field.value
  if (type === 'hidden') return <input type="hidden" name={name} value={value} />
  const problem = sent?.problems.find(({ pointer }) => pointer === `/${name}`)
  const wrong = problem && { 'aria-invalid': 'true' as const, 'aria-describedby': `wrong-${name}` }
  return (
    <label for={`field-${name}`}>
      <span safe>{label}</span>
      {choices ? (
        <select id={`field-${name}`} name={name} required={isRequired} {...wrong}>
          {choices.map(([choice, words]) => (
            <option value={choice} selected={choice === value} safe>
              {words}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={`field-${name}`}
          type={type === 'number' ? 'text' : type}
          inputmode={type === 'number' ? 'numeric' : undefined}
          name={name}
          value={value}
          maxlength={type === 'text' ? '500' : '20'}
          autocomplete={field.autocomplete}
          required={isRequired}
          dir={type === 'text' ? 'auto' : 'ltr'}
          {...wrong}
        />
      )}
      {problem ? (
        <span class="over small" id={`wrong-${name}`} safe>
          {field.explain?.(value, problem.code) ?? problemInWords(problem, view.locale)}
        </span>
      ) : null}
    </label>
  )
}
