// The page that asks once more before an act: what changes, and the reason. Its form names the sending and
// the version that was shown: sent twice it acts once; where another was faster it does nothing.
import type { PropsWithChildren } from '@kitajs/html'
import type { ValidationCode, ValidationProblem } from '../core/error.js'
import { problemInWords } from '../i18n/messages.js'
import { type ConsolePages, renderConsole, Text, type View } from '../pages/console-frame.js'
import { FormToken, LinkButton, SubmitButton } from '../pages/portal-frame.js'
import { type Column, Table } from '../pages/table.js'
import { randomToken } from '../runtime/secret.js'

/** One thing that changes, in words. */
export interface ChangeInWords {
  readonly name: string
  readonly before: string
  readonly after: string
}

/** What the form asks beside the reason. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly type: 'number' | 'date' | 'text'
  /** Of a number: what this operator may say at most, where that is less than the act allows. */
  readonly most?: number
  /** It may be left out. */
  readonly isOptional?: true
  /** Instead of free text: values with their words. */
  readonly choices?: readonly (readonly [value: string, words: string])[]
  /**
   * A figure that decides what follows: another than the one that was shown is read back before it counts.
   */
  readonly decides?: true
  /** The choices are radio buttons, and each tells what it changes. */
  readonly effects?: Readonly<Record<string, readonly ChangeInWords[]>>
  /** What is wrong with what was typed, where it can be said better than by a code; null: by the code. */
  readonly explain?: (typed: string, code: ValidationCode) => string | null
}

/** A form that was sent and could not be acted on, as it was typed. */
export interface SentForm {
  readonly typed: Readonly<Record<string, string>>
  readonly problems: readonly ValidationProblem[]
}

export interface ActPage {
  readonly title: string
  /** The payment or user that it is done to; absent where it is about none. */
  readonly about?: string
  readonly text: string
  /** Where the form is sent to, and where "cancel" leads. */
  readonly path: string
  readonly backPath: string
  readonly version: number
  readonly changes: readonly ChangeInWords[]
  readonly isReasonRequired: boolean
  readonly reasonLabel?: string
  readonly reason?: string
  readonly fields?: readonly Field[]
  /** What the form carries beside, as it was asked for before. */
  readonly hidden?: Readonly<Record<string, string>>
  /** What was asked for stands in no address. */
  readonly asksByPost?: boolean
  readonly sent?: SentForm | null
  /** Above the changes. */
  readonly safeMore?: JSX.Element
}

const CHANGES: readonly Column<ChangeInWords>[] = [
  { head: 'what', text: ({ name }) => name, isName: true },
  { head: 'before', text: ({ before }) => before },
  { head: 'after', text: ({ after }) => after },
]

export function actPage(pages: ConsolePages, view: View, act: ActPage): string {
  const { say, session } = view
  const { fields = [], sent = null } = act
  return renderConsole(pages, {
    ...view,
    title: act.title,
    ...(act.hidden && {
      languagePath: act.asksByPost ? act.path : `${act.path}?${new URLSearchParams(act.hidden)}`,
    }),
    safeContent: (
      <section class="card">
        <h1 safe>{act.title}</h1>
        <About>{act.about ?? ''}</About>
        <p safe>{act.text}</p>
        {act.safeMore ?? null}
        <WhyAgain {...{ view, sent }} />
        {act.changes.length === 0 ? null : (
          <Table {...{ pages, view }} rows={act.changes} columns={CHANGES} />
        )}
        <form method="post" action={act.path}>
          <FormToken session={session} />
          <input type="hidden" name="operation_id" value={randomToken(16)} />
          <input type="hidden" name="version" value={String(act.version)} />
          <input type="hidden" name="shown" value={shownIn(fields)} />
          {Object.entries(act.hidden ?? {}).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          {fields.map((field) => (
            <Input view={view} field={field} sent={sent} isRequired={!field.isOptional} />
          ))}
          <Input
            view={view}
            field={{
              ...{ name: 'why', type: 'text', value: act.reason ?? '' },
              label: act.reasonLabel ?? say('reasonLabel'),
            }}
            sent={sent}
            isRequired={act.isReasonRequired}
          />
          <p class="actions">
            <SubmitButton label={say('confirm')} />
            <LinkButton href={act.backPath} label={say('cancel')} />
          </p>
        </form>
      </section>
    ),
  })
}

function About({ children }: PropsWithChildren<{ children: string }>) {
  if (children === '') return ''
  return (
    <p class="soft">
      <Text>{children}</Text>
    </p>
  )
}

interface QuestionPage
  extends Pick<ActPage, 'title' | 'about' | 'text' | 'path' | 'backPath' | 'asksByPost'> {
  readonly fields: readonly Field[]
  /** What the form carries beside. */
  readonly hidden?: ActPage['hidden']
  readonly sent: SentForm | null
}

/** What must be known before it can be shown what an act changes. */
export function questionPage(pages: ConsolePages, view: View, question: QuestionPage): string {
  const { say } = view
  const { title, about, text, path, backPath, fields, hidden = {}, asksByPost = false, sent } = question
  return renderConsole(pages, {
    ...view,
    title,
    ...(asksByPost && { languagePath: path }),
    safeContent: (
      <section class="card">
        <h1 safe>{title}</h1>
        <About>{about ?? ''}</About>
        <p safe>{text}</p>
        <WhyAgain {...{ view, sent }} />
        <form method={asksByPost ? 'post' : 'get'} action={path}>
          {asksByPost ? <FormToken session={view.session} /> : null}
          {Object.entries(hidden).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          {fields.map((field) => (
            <Input view={view} field={field} sent={sent} isRequired={!field.isOptional} />
          ))}
          <p class="actions">
            <SubmitButton label={say('showChange')} />
            <LinkButton href={backPath} label={say('cancel')} />
          </p>
        </form>
      </section>
    ),
  })
}

function WhyAgain({ view, sent }: { view: View; sent: SentForm | null }) {
  if (sent === null) return null
  return (
    <p class="over" role="alert" safe>
      {view.say(sent.problems.length > 0 ? 'formProblem' : 'formChanged')}
    </p>
  )
}

/** The fields that decide what follows, as it was shown for them. */
function shownIn(fields: readonly Field[]): string {
  const deciding = fields.filter(({ decides }) => decides)
  return new URLSearchParams(deciding.map(({ name, value }) => [name, value])).toString()
}

export function Input(of: { view: View; field: Field; sent: SentForm | null; isRequired: boolean }) {
  const { view, field, sent, isRequired } = of
  if (field.effects) return <Radios {...{ view, field }} value={sent?.typed[field.name] ?? field.value} />
  const { name, label, type, choices } = field
  const value = sent?.typed[name] ?? field.value
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

function Radios({ view, field, value }: { view: View; field: Field; value: string }) {
  const { name, label, choices = [], effects = {} } = field
  return (
    <fieldset>
      <legend safe>{label}</legend>
      {choices.map(([choice, words]) => (
        <label class="line">
          <input type="radio" name={name} value={choice} checked={choice === value} required />{' '}
          <Text>{words}</Text>
          {effects[choice]?.map(({ name: what, before, after }) => (
            <span class="soft small line" safe>
              {view.say(before === '' ? 'becomes' : 'changesTo', { what, before, after })}
            </span>
          ))}
        </label>
      ))}
    </fieldset>
  )
}
