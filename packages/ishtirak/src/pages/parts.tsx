// Parts of pages, in the portal and in the console: words, buttons, cards, forms.
import { escapeHtml, type PropsWithChildren } from '@kitajs/html'
import { mayOrder } from '../core/person.js'
import type { Say } from '../i18n/messages.js'
import type { ReadOnlySession, Session } from './reader.js'

/** `late`: a clock; `review`: a magnifying glass; `back`: money that went back; `mail`: a letter. */
export type SignKind = 'ok' | 'waiting' | 'bad' | 'info' | 'late' | 'review' | 'back' | 'mail'

/** The large sign of a page with one message. It only repeats the heading, so it is hidden from readers. */
export function Sign({ kind }: { kind: SignKind }) {
  const tone = kind === 'bad' ? 'bad' : kind === 'ok' || kind === 'waiting' ? '' : 'warn'
  return `<svg class="sign ${tone}" viewBox="0 0 56 56" aria-hidden="true">\
<circle cx="28" cy="28" r="28"/><path d="${SIGNS[kind]}"/></svg>`
}

const SIGNS: Readonly<Record<SignKind, string>> = {
  ok: 'M17 29l8 8 15-17',
  waiting: 'M28 12a16 16 0 1 1-16 16',
  bad: 'M20 20l16 16M36 20L20 36',
  info: 'M28 25v14M28 17v.01',
  late: 'M28 15a13 13 0 1 1-.01 0M28 20v8l6 4',
  review: 'M25 16a10 10 0 1 1-.01 0M33 34l8 8',
  back: 'M22 16l-8 8 8 8M14 24h18a8 8 0 0 1 0 16h-8',
  mail: 'M14 18h28v20h-28zM14 19l14 11 14-11',
}

export function SubmitButton({ label }: { label: string }) {
  return (
    <button type="submit" class="go" safe>
      {label}
    </button>
  )
}

/** `go`: the main button. `isBeside`: it opens in a new tab, for a document that is printed and closed. */
export function LinkButton(of: {
  href: string | undefined
  label: string
  go?: boolean
  isBeside?: boolean
}) {
  const { href, label, go, isBeside } = of
  return (
    <a class={go ? 'button go' : 'button'} href={href} target={isBeside ? '_blank' : undefined} safe>
      {label}
    </a>
  )
}

/** The link above the title of each page except the first one. */
export function BackToPortal({ base, say }: { readonly base: string; readonly say: Say }) {
  return (
    <a class="back" href={`${base}/portal`}>
      <span aria-hidden="true">{'\u2039'}</span>
      <span safe>{say('backToPortal')}</span>
    </a>
  )
}

export function FormToken({ session }: { session: Pick<Session, 'formToken'> }) {
  return <input type="hidden" name="form_token" value={session.formToken} />
}

export function Card({ id, title, children }: PropsWithChildren<{ id: string; title: string }>) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id} safe>
        {title}
      </h2>
      {children}
    </section>
  )
}

export function Notice(of: PropsWithChildren<{ tone: '' | 'warn'; title: string; text: string }>) {
  return (
    <section class={`notice ${of.tone}`}>
      <h2 safe>{of.title}</h2>
      <P>{of.text}</P>
      {of.children}
    </section>
  )
}

/** A form with the token of its session. An operator who views the portal gets controls that do nothing. */
export function OwnForm(
  of: PropsWithChildren<{
    session: Session | ReadOnlySession
    action: string
    enctype?: string | undefined
    /** Hidden fields, without those that are undefined. */
    kept?: Readonly<Record<string, string | undefined>>
    /** The form orders nothing, so a `billing_role` of `reader` sees it too. */
    forReaders?: boolean
  }>,
) {
  const { session, action, enctype, kept = {}, forReaders = false, children } = of
  if (!forReaders && !mayOrder(session)) return null
  if (session.formToken === null) return <fieldset disabled>{children}</fieldset>
  return (
    <form method="post" action={action} enctype={enctype}>
      <FormToken session={session} />
      {Object.entries(kept).map(([name, value]) =>
        value === undefined ? null : <input type="hidden" name={name} value={value} />,
      )}
      {children}
    </form>
  )
}

/** The address of a link; undefined for an operator who views the portal, so that it leads nowhere. */
export function hrefIn({ formToken }: Session | ReadOnlySession, href: string): string | undefined {
  return formToken === null ? undefined : href
}

/** Spaces at which a line may break. Between them is a word, or several that no-break spaces join. */
const SPACES = /([^\S\u00a0]+)/

/**
 * A text whose dates, and amounts with their unit, are not broken over two lines: joined words go to the next
 * line together. Wider than a line they break, but not in `2 000`.
 */
export function Words({ children }: PropsWithChildren<{ children: string }>) {
  const parts = withoutNeedlessMarks(children).split(SPACES)
  return (
    <>
      {parts.map((part) =>
        /\S\u00a0/.test(part) && isClosed(part) ? (
          <span class="whole" safe>
            {part.replace(/\u00a0(?!\d{3}(?!\d))/g, ' ')}
          </span>
        ) : (
          escapeHtml(part)
        ),
      )}
    </>
  )
}

export function P({ class: look, children }: PropsWithChildren<{ class?: string; children: string }>) {
  return (
    <p class={look}>
      <Words>{children}</Words>
    </p>
  )
}

/** A part of a line, written as `Words` writes it. */
export function Inline({ class: look, children }: PropsWithChildren<{ class?: string; children: string }>) {
  return (
    <span class={look}>
      <Words>{children}</Words>
    </span>
  )
}

/** Whether each direction mark that begins in the part also ends in it. */
function isClosed(part: string): boolean {
  return part.replace(/[^\u2066-\u2068]/g, '').length === part.replace(/[^\u2069]/g, '').length
}

/** A text between two direction marks: `⁨31 ديسمبر 2027 على الساعة 13:00⁩`. */
const ISOLATED = /\u2068([^\u2066-\u2069]*)\u2069/g
const IS_ARABIC = /^\P{L}*\p{Script=Arabic}/u

/**
 * Arabic in an Arabic text runs as the text does, so a date needs no marks around it. With the marks, a date
 * and its time would be two parts that are not closed, and could not break where they are wider than a line.
 */
function withoutNeedlessMarks(text: string): string {
  if (!IS_ARABIC.test(text.replace(ISOLATED, ''))) return text
  return text.replace(ISOLATED, (marked, inside: string) =>
    /\S\u00a0/.test(inside) && IS_ARABIC.test(inside) ? inside : marked,
  )
}
