// Titles of acts in the console, and the links and buttons that lead to their pages.
import { mayDo } from '../core/role.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import { codeInWords } from '../pages/console-words.js'
import { LinkButton } from '../pages/parts.js'
import { type Act, byRank, verbOf } from './act.js'
import { type Subject, subjectPath } from './subject.js'

export function isOfferedOn<Deps, File>(deps: Deps, act: Act<Deps>, on: Subject<never, File>, file: File) {
  return act.on.name === on.name && act.isOffered?.(file, deps) !== false
}

/** The acts on `subject` that this operator may do now. `file` is the subject's file. */
export function actsOffered<Deps, File>(
  pages: Deps & { readonly acts: readonly Act<Deps>[] },
  { session }: View,
  of: { readonly subject: Subject<never, File>; readonly file: File; readonly id: string },
) {
  const { subject, file, id } = of
  return pages.acts
    .filter((act) => mayDo(session.operator, act) && isOfferedOn(pages, act, subject, file))
    .sort(byRank)
    .map((act) => ({ act, id }))
}

export function titleOf({ name }: Pick<Act, 'name'>, view: Pick<View, 'say'>): string {
  return codeInWords(view, 'act', name)
}

export function pathOfAct({ base }: Pick<ConsolePages, 'base'>, act: Pick<Act, 'on' | 'name'>, id: string) {
  return `${base}/console${subjectPath(act.on, id)}/${verbOf(act)}`
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

/** Links from a cell of a table, as `ActButton` does. */
export function ActLink<Deps>({ pages, view, act, id = '' }: LinkToAct<Deps>) {
  return mayDo(view.session.operator, act) ? (
    <a class="line" href={pathOfAct(pages, act, id)} safe>
      {titleOf(act, view)}
    </a>
  ) : null
}

/** The buttons that are visible. The others are folded, and destructive ones stand apart among them. */
const OPEN_MAX = 3

/** `first` is a link to another page, and counts as a visible button. */
export function ActButtons<Deps>(of: {
  readonly pages: Pick<ConsolePages, 'base'>
  readonly view: View
  readonly first?: { readonly href: string; readonly label: string }
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
