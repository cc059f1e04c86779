// Pages with one thing to say: the front page, the way in, a link that is over, a refusal. Each says what happened and gives
// a way on.
import { type BillingError, ERRORS } from '../core/error.js'
import { SECOND } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { type MessageKey, sayFor } from '../i18n/messages.js'
import { FormToken, LinkButton, renderPage, Sign, type SignKind, SubmitButton } from './frame.js'
import type { Pages } from './pages.js'
import type { PortalSession } from './portal-sessions.sql.js'
import type { Session } from './reader.js'

/** For those who open the root of the service in a browser. */
export function frontPage(pages: Pages, locale: Locale): string {
  const say = sayFor(pages.seller.identity, locale)
  return messagePage(pages, {
    locale,
    title: say('frontTitle'),
    text: say('frontText'),
    languagePath: '',
    safeMore: (
      <p class="actions">
        <LinkButton href={`${pages.base}/portal`} label={say('openPortal')} go />
        <a href={`${pages.base}/docs`} safe>
          {say('apiDocuments')}
        </a>
      </p>
    ),
  })
}

/** `wrong`: what was entered and is not an address. */
export function askForLinkPage(pages: Pages, locale: Locale, wrong?: string): string {
  const say = sayFor(pages.seller.identity, locale)
  return messagePage(pages, {
    locale,
    title: say('askForLinkTitle'),
    text: say('askForLinkText'),
    safeMore: (
      <form method="post" action={`${pages.base}/portal/link?lang=${locale}`}>
        {wrong === undefined ? null : (
          <p class="over" id="wrong" safe>
            {say('emailWrong')}
          </p>
        )}
        <label>
          <span safe>{say('emailAddress')}</span>
          <input
            type="email"
            name="email"
            required
            maxlength="254"
            autocomplete="email"
            dir="ltr"
            value={wrong ?? ''}
            {...(wrong !== undefined && { 'aria-invalid': 'true', 'aria-describedby': 'wrong' })}
          />
        </label>
        <SubmitButton label={say('sendLink')} />
      </form>
    ),
  })
}

/** The target of a link in a mail: a button that uses the link. */
export function signInPage(pages: Pages, locale: Locale, token: string): string {
  const say = sayFor(pages.seller.identity, locale)
  return messagePage(pages, {
    locale,
    title: say('signInTitle'),
    text: say('signInText'),
    languagePath: `${pages.base}/portal/sign-in?token=${encodeURIComponent(token)}`,
    safeMore: (
      <form method="post" action={`${pages.base}/portal/sign-in?lang=${locale}`}>
        <input type="hidden" name="token" value={token} />
        <SubmitButton label={say('mail_linkButton')} />
      </form>
    ),
  })
}

/** A link of another user was opened: only this page's button follows it. */
export function switchPage(
  pages: Pages,
  of: {
    readonly session: Session
    readonly link: PortalSession
    readonly token: string
    readonly locale: Locale
  },
): string {
  const { session, link, token, locale } = of
  const say = sayFor(pages.seller.identity, locale)
  return messagePage(pages, {
    locale,
    title: say('switchTitle'),
    text: say('switchText', { current: nameOf(session), other: nameOf(link) }),
    backUrl: pages.backUrl(session),
    languagePath: `${pages.base}/portal/open?token=${encodeURIComponent(token)}`,
    safeMore: (
      <form class="actions" method="post" action={`${pages.base}/portal/open`}>
        <FormToken session={session} />
        <input type="hidden" name="token" value={token} />
        <LinkButton href={`${pages.base}/portal`} label={say('switchStay')} go />
        <button type="submit" safe>
          {say('switchGo')}
        </button>
      </form>
    ),
  })
}

/** The e-mail address first: users choose their names. */
function nameOf({ email, name, userId }: PortalSession): string {
  return email ?? name ?? userId
}

export const linkSentPage = (pages: Pages, locale: Locale): string =>
  oneWayOn(pages, locale, ['linkSentTitle', 'linkSentText'])

export const linkOverPage = (pages: Pages, locale: Locale): string =>
  oneWayOn(pages, locale, ['linkOverTitle', 'linkOverText'])

/** A link that came by mail: a new one is requested where this one was. */
export const mailedLinkOverPage = (pages: Pages, locale: Locale): string =>
  oneWayOn(pages, locale, ['linkOverTitle', 'mailedLinkOverText'], 'requestLink')

interface Refusal {
  readonly error: BillingError
  readonly session: Session | null
  readonly locale: Locale
  readonly requestId: string
}

export function refusalPage(pages: Pages, refusal: Refusal): string {
  const { error, locale } = refusal
  // To programs these two codes say that a token is missing or lacks a right; to users, how to come in.
  if (error.code === 'forbidden') return oneWayOn(pages, locale, ['staleFormTitle', 'staleFormText'])
  if (error.code !== 'unauthenticated') return failurePage(pages, refusal)
  if (pages.mailsLinks) return askForLinkPage(pages, locale)
  return oneWayOn(pages, locale, ['noSessionTitle', 'noSessionText'])
}

/** Any other refusal, in the words of the list of errors. */
function failurePage(pages: Pages, { error, session, locale, requestId }: Refusal): string {
  const say = sayFor(pages.seller.identity, locale)
  const { status, title, detail } = ERRORS[error.code]
  const wait = error.retryAfterSeconds
  return messagePage(pages, {
    locale,
    kind: status >= 500 ? 'bad' : 'info',
    title: title[locale],
    text: detail[locale],
    backUrl: session ? pages.backUrl(session) : null,
    safeMore: (
      <>
        {wait === undefined ? null : (
          <p safe>{say('tryAgainIn', { time: pages.formats.timeLeft(wait * SECOND, locale) })}</p>
        )}
        <p class="actions">
          <LinkButton
            href={session ? `${pages.base}/portal` : pages.backUrl(null)}
            label={say(session ? 'backToPortal' : 'backToSeller')}
            go
          />
        </p>
        <p class="small soft">
          <span safe>{say('supportReference')}</span> <code safe>{requestId}</code>
        </p>
      </>
    ),
  })
}

/** A message with one button: back to the seller, or to where a link is requested. */
function oneWayOn(
  pages: Pages,
  locale: Locale,
  [title, text]: readonly [title: MessageKey, text: MessageKey],
  next: 'backToSeller' | 'requestLink' = 'backToSeller',
): string {
  const say = sayFor(pages.seller.identity, locale)
  const [href, backUrl] =
    next === 'requestLink' ? [`${pages.base}/portal`, pages.backUrl(null)] : [pages.backUrl(null), null]
  return messagePage(pages, {
    locale,
    title: say(title),
    text: say(text),
    backUrl,
    safeMore: (
      <p class="actions">
        <LinkButton href={href} label={say(next)} go />
      </p>
    ),
  })
}

/** The frame of them all. */
function messagePage(
  pages: Pages,
  of: {
    readonly locale: Locale
    readonly kind?: SignKind
    readonly title: string
    readonly text: string
    /** The seller's site by default. */
    readonly backUrl?: string | null
    /** The portal by default. */
    readonly languagePath?: string
    readonly safeMore: JSX.Element
  },
): string {
  const { kind = 'info', backUrl = pages.backUrl(null), languagePath = `${pages.base}/portal` } = of
  const safeContent = (
    <section class="middle card">
      <Sign kind={kind} />
      <h1 safe>{of.title}</h1>
      <p safe>{of.text}</p>
      {of.safeMore}
    </section>
  )
  return renderPage(pages, { locale: of.locale, title: of.title, backUrl, languagePath, safeContent })
}
