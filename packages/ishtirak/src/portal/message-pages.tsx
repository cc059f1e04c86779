// Pages with one thing to say: no session, a link that is over, a refusal. Each says what happened and gives a way on.
import { type BillingError, ERRORS } from '../core/error.js'
import { SECOND } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import type { MessageKey } from '../i18n/messages.js'
import { FormToken } from './buy-form.js'
import { renderPage, Sign, type SignKind } from './frame.js'
import type { Pages } from './pages.js'
import type { PortalLink } from './portal-sessions.sql.js'
import type { Session } from './reader.js'
import { sayOf } from './words.js'

export function linkOverPage(pages: Pages, locale: Locale): string {
  return messagePage(pages, locale, 'linkOverTitle', 'linkOverText')
}

/** Of a link that came by mail: a new one is asked for where this one was. */
export function mailedLinkOverPage(pages: Pages, locale: Locale): string {
  const next = { url: `${pages.base}/portal`, label: 'requestLink' } as const
  return messagePage(pages, locale, 'linkOverTitle', 'mailedLinkOverText', next)
}

/** A link of another user was opened: it goes on only by this button. */
export function switchPage(
  pages: Pages,
  of: {
    readonly session: Session
    readonly link: PortalLink
    readonly token: string
    readonly locale: Locale
  },
): string {
  const { session, link, token, locale } = of
  const say = sayOf(pages, locale)
  const title = say('switchTitle')
  const other = nameOf(link)
  return renderPage(pages, {
    locale,
    title,
    backUrl: pages.backUrl(session),
    languagePath: `${pages.base}/portal/open?token=${encodeURIComponent(token)}`,
    safeContent: (
      <Message kind="info" title={title} text={say('switchText', { current: nameOf(session), other })}>
        <form class="actions" method="post" action={`${pages.base}/portal/open`}>
          <FormToken session={session} />
          <input type="hidden" name="token" value={token} />
          <a class="button go" href={`${pages.base}/portal`} safe>
            {say('switchStay')}
          </a>
          <button type="submit" safe>
            {say('switchGo')}
          </button>
        </form>
      </Message>
    ),
  })
}

/** The address of mail first: a name is whatever its owner chose. */
function nameOf({ email, name, userId }: PortalLink): string {
  return email ?? name ?? userId
}

export function messagePage(
  pages: Pages,
  locale: Locale,
  titleKey: MessageKey,
  textKey: MessageKey,
  next: { readonly url: string; readonly label: MessageKey } = {
    url: pages.backUrl(null),
    label: 'backToSeller',
  },
): string {
  const say = sayOf(pages, locale)
  const title = say(titleKey)
  return renderPage(pages, {
    locale,
    title,
    backUrl: next.label === 'backToSeller' ? null : pages.backUrl(null),
    languagePath: `${pages.base}/portal`,
    safeContent: (
      <Message kind="info" title={title} text={say(textKey)}>
        <p class="actions">
          <a class="button go" href={next.url} safe>
            {say(next.label)}
          </a>
        </p>
      </Message>
    ),
  })
}

export interface Refusal {
  readonly error: BillingError
  readonly session: Session | null
  readonly locale: Locale
  readonly requestId: string
}

export function refusalPage(pages: Pages, refusal: Refusal): string {
  const { error, locale } = refusal
  // Of programs these two codes say that a token is missing or lacks a right; of people, how to come in.
  if (error.code === 'unauthenticated') return messagePage(pages, locale, 'noSessionTitle', 'noSessionText')
  if (error.code === 'forbidden') return messagePage(pages, locale, 'staleFormTitle', 'staleFormText')
  return failurePage(pages, refusal)
}

/** Any other refusal, in the words of the one list of errors. */
function failurePage(pages: Pages, of: Refusal): string {
  const { error, session, locale } = of
  const say = sayOf(pages, locale)
  const { status, title, detail } = ERRORS[error.code]
  const wait = error.retryAfterSeconds
  return renderPage(pages, {
    locale,
    title: title[locale],
    backUrl: session ? pages.backUrl(session) : null,
    languagePath: `${pages.base}/portal`,
    safeContent: (
      <Message kind={status >= 500 ? 'bad' : 'info'} title={title[locale]} text={detail[locale]}>
        {wait === undefined ? null : (
          <p safe>{say('tryAgainIn', { time: pages.formats.timeLeft(wait * SECOND, locale) })}</p>
        )}
        <p class="actions">
          <a class="button go" href={session ? `${pages.base}/portal` : pages.backUrl(session)} safe>
            {say(session ? 'backToPortal' : 'backToSeller')}
          </a>
        </p>
        <p class="small soft">
          <span safe>{say('supportReference')}</span> <code safe>{of.requestId}</code>
        </p>
      </Message>
    ),
  })
}

export function Message(of: {
  kind: SignKind
  title: string
  text: string
  children?: JSX.Element | null | (JSX.Element | null)[]
}) {
  return (
    <section class="middle card">
      <Sign kind={of.kind} />
      <h1 safe>{of.title}</h1>
      <p safe>{of.text}</p>
      {of.children}
    </section>
  )
}
