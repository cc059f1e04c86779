// The page of an act: its fields, its changes and the reason. The form has a name of its own, so that sent
// twice it acts once; and the values and the version that were shown, so that nothing else is confirmed.
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
  /** The largest number that this operator may enter, if it is less than the schema allows. */
  readonly most?: number
  readonly isOptional?: true
  /** The value does not affect the changes, so it may be chosen after they were shown. */
  readonly isLast?: true
  /** What a browser may fill in, by the name that HTML has for it. */
  readonly autocomplete?: string
  /** The values to choose from, with their words. */
  readonly choices?: readonly (readonly [value: string, words: string])[]
  /** Computes members of the input, if the field is not a member itself. Throws `validation_failed`. */
  readonly read?: (typed: Typed) => object
  /** Explains a problem better than the words of its code; null: use those words. */
  readonly explain?: (typed: string, code: ValidationCode) => string | null
}

interface ActPage {
  readonly title: string
  /** Names the payment or user that it is done to. */
  readonly about: string | undefined
  readonly text: string
  /** The evidence that an operator reads while they decide; null: none. */
  readonly safeBeside: JSX.Element | null
  /** The form is sent to `path`; "cancel" leads to `backPath`. */
  readonly path: string
  readonly backPath: string
  /** Links to other acts on the same subject. */
  readonly others: readonly { readonly href: string; readonly label: string }[]
  readonly fields: readonly Field[]
  readonly isReasonRequired: boolean
  /** The fields that no address may contain. */
  readonly secret: readonly string[]
  /** Null: the values are not enough to show the changes. */
  readonly plan: {
    readonly version: number
    readonly changes: readonly Change[]
    readonly carried?: Typed
  } | null
  /** Null: the form was not sent. A null refusal: its values were not those that were shown. */
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
                {Object.entries(plan.carried ?? {}).map(([name, value]) => (
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

/** Values that stay are facts above the table of those that change. */
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

/** The values for which the changes are shown. */
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
