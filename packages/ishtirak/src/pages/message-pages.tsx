// Pages with one message and a button: the front page, the sign-in, a refusal.

import type { FastifyReply } from 'fastify'
import { type BillingError, ERRORS } from '../core/error.js'
import { SECOND } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { inParts } from '../i18n/formats.js'
import { CATALOGS, type MessageKey, type Say, sayFor } from '../i18n/messages.js'
import { Input } from './field.js'
import { FormToken, LinkButton, P, Sign, type SignKind, SubmitButton } from './parts.js'
import { type Pages, renderPage } from './portal-frame.js'
import type { PortalSession, Session } from './reader.js'

/** The root of the service in a browser. */
export function frontPage(pages: Pages, locale: Locale): string {
  return messagePage(pages, locale, (say) => ({
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
  }))
}

/** `wrong` is a text that was entered and is not an address. */
export function askForLinkPage(pages: Pages, locale: Locale, wrong?: string): string {
  const problems = [{ pointer: '/email', code: 'wrong_format' as const }]
  const sent = wrong === undefined ? null : { typed: { email: wrong }, problems }
  return messagePage(pages, locale, (say) => ({
    title: say('askForLinkTitle'),
    text: say('askForLinkText'),
    safeMore: (
      <form method="post" action={`${pages.base}/portal/link?lang=${locale}`}>
        <Input
          {...{ view: { locale }, sent }}
          field={{
            ...{ name: 'email', label: say('emailAddress'), value: '', type: 'email' },
            ...{ autocomplete: 'email', explain: () => say('emailWrong') },
          }}
          isRequired
        />
        <SubmitButton label={say('sendLink')} />
      </form>
    ),
  }))
}

/** The target of a link in a mail: a button that uses the link. */
export function signInPage(pages: Pages, locale: Locale, token: string): string {
  return messagePage(pages, locale, (say) => ({
    title: say('signInTitle'),
    text: say('signInText'),
    languagePath: `${pages.base}/portal/sign-in?token=${encodeURIComponent(token)}`,
    safeMore: (
      <form action={`${pages.base}/portal/open`}>
        <input type="hidden" name="token" value={token} />
        <input type="hidden" name="mailed" value="yes" />
        <SubmitButton label={say('mail_linkButton')} />
      </form>
    ),
  }))
}

/** Asks before a link of another user ends this user's session. */
export function switchPage(
  pages: Pages,
  of: { session: Session; link: PortalSession; token: string; locale: Locale },
): string {
  const { session, link, token, locale } = of
  // The address comes before the name, which users choose themselves. The person follows the account.
  const nameOf = ({ email, name, userId, personId }: PortalSession) =>
    inParts([email ?? name ?? userId, ...(personId === null ? [] : [personId])], locale)
  return messagePage(pages, locale, (say) => ({
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
  }))
}

/** With a label, the button leads to the portal, else to the seller. */
const NOTICES = {
  linkSent: ['mail'],
  linkOver: ['late'],
  // A link of a mail is over: the button leads to the page that sends a new one.
  mailedLinkOver: ['late', 'requestLink'],
  noSession: ['info'],
  // A form was sent after the end of its session.
  sessionOver: ['info', 'openPortal'],
  staleForm: ['info'],
} as const satisfies Readonly<Record<string, readonly [SignKind, MessageKey?]>>

export function noticePage(pages: Pages, locale: Locale, notice: keyof typeof NOTICES): string {
  const [kind, label] = NOTICES[notice]
  return messagePage(pages, locale, (say) => ({
    kind,
    title: say(notice === 'mailedLinkOver' ? 'linkOverTitle' : `${notice}Title`),
    text: say(`${notice}Text`),
    ...(label === undefined && { backUrl: null }),
    safeMore: (
      <ActionLink
        href={label === undefined ? pages.backUrl(null) : `${pages.base}/portal`}
        label={say(label ?? 'backToSeller')}
      />
    ),
  }))
}

export interface Refusal {
  readonly error: BillingError
  readonly session: Session | null
  readonly locale: Locale
  readonly requestId: string
  /** The words of a capability, in place of the usual ones. */
  readonly own?: Partial<Message> | undefined
}

export function refusalPage(pages: Pages, refusal: Refusal): string {
  const { error, session, locale, requestId, own } = refusal
  // These two codes are about tokens. Users read instead how they get in.
  if (error.code === 'forbidden') return noticePage(pages, locale, 'staleForm')
  if (error.code === 'unauthenticated')
    return pages.mailsLinks ? askForLinkPage(pages, locale) : noticePage(pages, locale, 'noSession')
  const { title, detail } = CATALOGS[locale].error[error.code]
  const wait = error.retryAfterSeconds
  return messagePage(pages, locale, (say) => ({
    kind: ERRORS[error.code] >= 500 ? 'bad' : 'info',
    title,
    text: detail,
    backUrl: session ? pages.backUrl(session) : null,
    safeMore: (
      <>
        {wait === undefined ? null : (
          <p safe>{say('tryAgainIn', { time: pages.formats.timeLeft(wait * SECOND, locale) })}</p>
        )}
        <ActionLink
          href={session ? `${pages.base}/portal` : pages.backUrl(null)}
          label={say(session ? 'backToPortal' : 'backToSeller')}
        />
        <p class="small soft">
          <span safe>{say('supportReference')}</span> <code safe>{requestId}</code>
        </p>
      </>
    ),
    ...own,
  }))
}

function ActionLink({ href, label }: { href: string; label: string }) {
  return (
    <p class="actions">
      <LinkButton href={href} label={label} go />
    </p>
  )
}

export interface Message {
  readonly kind?: SignKind
  readonly title: string
  /** Absent: the title alone, without a sign. */
  readonly text?: string
  /** The seller's site by default. */
  readonly backUrl?: string | null
  /** The portal by default. */
  readonly languagePath?: string
  readonly safeMore: JSX.Element
}

export function messagePage(pages: Pages, locale: Locale, describe: (say: Say) => Message): string {
  const { kind = 'info', title, text, safeMore, ...page } = describe(sayFor(pages.seller.identity, locale))
  const safeContent = (
    <section class="middle card">
      {text === undefined ? null : <Sign kind={kind} />}
      <h1 safe>{title}</h1>
      {text === undefined ? null : <P>{text}</P>}
      {safeMore}
    </section>
  )
  const usual = { backUrl: pages.backUrl(null), languagePath: `${pages.base}/portal` }
  return renderPage(pages, { locale, title, safeContent, ...usual, ...page })
}

/** Redirects the sender of a form to the page with its result, which a cookie keeps. */
export function answerForm(
  pages: Pages,
  reply: FastifyReply,
  session: Session | null,
  answer: Readonly<Record<string, string>>,
): FastifyReply {
  pages.reader.keep(reply, session, answer)
  return reply.headers(pages.headers).redirect(`${pages.base}/portal/answer`, 303)
}

export function shortened(typed: string): string {
  return typed.slice(0, 100)
}
