// The frame of every page of the console. It has the style sheet of the portal. A page is one document
// without a script, and loads nothing else.
import type { FastifyReply } from 'fastify'
import type { BillingError } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { isRole, mayDo, type OperatorSession, type Permission } from '../core/role.js'
import type { Callers } from '../http/callers.js'
import type { Written } from '../i18n/formats.js'
import { type ConsoleKey, consoleSay, type SayConsole, sayFor } from '../i18n/messages.js'
import type { WallClock } from '../runtime/calendar.js'
import { FormToken } from './parts.js'
import { type FrameParts, Languages, renderLayout } from './portal-frame.js'
import type { SessionReader, SessionStore, WithFormToken } from './reader.js'

type ConsoleSession = WithFormToken<OperatorSession>

/** The sessions of operators, which the capability `access` stores. */
export interface ConsoleSignIn extends Omit<SessionStore<OperatorSession>, 'cookie'> {
  /** The address of the sign-in that leads to `url` afterwards. */
  pathFor(base: string, url: string): string
  /** Explains why a sign-in was refused; null: the error is not about a sign-in. */
  refusalText(error: BillingError, say: SayConsole): string | null
}

export interface ConsolePages extends FrameParts {
  readonly publicUrl: string
  readonly wallClock: WallClock
  /** Sorted by `order`. */
  readonly sections: readonly ConsoleSection[]
  readonly signIn: ConsoleSignIn
  readonly reader: SessionReader<OperatorSession>
  readonly operatorsHere: Callers<ConsoleSession>
}

export interface ConsoleSection {
  readonly key: ConsoleKey
  readonly path: string
  readonly order: number
  /** The permission to see it; if absent, every operator may. */
  readonly permission?: Permission
}

export interface View extends Written {
  readonly session: ConsoleSession
  readonly locale: Locale
  readonly say: SayConsole
}

interface ConsolePage {
  readonly locale: Locale
  /** Null: no operator is signed in. */
  readonly session: ConsoleSession | null
  readonly title: string
  readonly section?: ConsoleKey
  /** The address that gets `lang=`; if empty, that of the page. */
  readonly languagePath?: string
  readonly searched?: string
  /** Rendered by components, which escape what they are given. */
  readonly safeContent: JSX.Element
}

export const SEARCHED_MAX = 320

export function renderConsole(pages: ConsolePages, page: ConsolePage): string {
  const { locale, session, title, safeContent, languagePath = '' } = page
  const say = consoleSay(locale)
  const { identity } = pages.seller
  const name = identity.name[locale]
  const language = sayFor(identity, locale)('language')
  const languages = <Languages current={locale} label={language} path={languagePath} />
  return renderLayout(pages, {
    locale,
    title: `${title} · ${say('console')} · ${name}`,
    brand: `${name} · ${say('console')}`,
    look: 'console',
    safeStart: (
      <a class="skip" href="#content" safe>
        {say('skip')}
      </a>
    ),
    safeTop:
      session === null ? (
        languages
      ) : (
        <>
          <SearchForm {...{ pages, say }} searched={page.searched ?? ''} />
          <div class="on-wide actions">
            {languages}
            <SignOut {...{ pages, session, say }} />
          </div>
          <details class="menu">
            <summary safe>{say('menu')}</summary>
            <Sections {...{ pages, session, say, page }} />
            {languages}
            <SignOut {...{ pages, session, say }} />
          </details>
        </>
      ),
    safeContent: (
      <>
        {session === null ? null : (
          <div class="on-wide">
            <Sections {...{ pages, session, say, page }} />
          </div>
        )}
        <main id="content">{safeContent}</main>
      </>
    ),
  })
}

/** A page for a signed-in operator, with its title as heading. */
export function consolePage(
  of: { readonly pages: ConsolePages; readonly view: View } & Omit<
    ConsolePage,
    'locale' | 'session' | 'safeContent'
  >,
  safeContent: JSX.Element,
): string {
  const { pages, view, ...page } = of
  const titled = (
    <>
      <h1 safe>{page.title}</h1>
      {safeContent}
    </>
  )
  return renderConsole(pages, { ...view, ...page, safeContent: titled })
}

function Sections(of: { pages: ConsolePages; session: ConsoleSession; say: SayConsole; page: ConsolePage }) {
  const { pages, session, say, page } = of
  const isShown = ({ permission }: ConsoleSection) => !permission || mayDo(session.operator, permission)
  const sections = pages.sections.filter(isShown)
  return (
    <div class="sections">
      <div>
        <nav aria-label={say('nav')}>
          <ul>
            {sections.map(({ key, path }) => (
              <li>
                <a
                  href={`${pages.base}${path}`}
                  aria-current={key === page.section ? 'page' : undefined}
                  safe
                >
                  {say(key)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
    </div>
  )
}

function SignOut({ pages, session, say }: { pages: ConsolePages; session: ConsoleSession; say: SayConsole }) {
  const { name, role } = session.operator
  return (
    <form
      class="sign-out"
      method="post"
      action={`${pages.base}/console/sign-out`}
      aria-label={say('signOut')}
    >
      <FormToken session={session} />
      <span class="small who" safe>
        {say('signedInAs', { name, role: roleName(role, say) })}
      </span>
      <button type="submit" safe>
        {say('signOut')}
      </button>
    </form>
  )
}

function SearchForm({ pages, say, searched }: { pages: ConsolePages; say: SayConsole; searched: string }) {
  return (
    <search>
      <form method="get" action={`${pages.base}/console/search`}>
        <input
          type="search"
          name="q"
          value={searched}
          required
          maxlength={SEARCHED_MAX}
          aria-label={say('searchField')}
          placeholder={say('searchField')}
        />
        <button type="submit" safe>
          {say('searchButton')}
        </button>
      </form>
    </search>
  )
}

export const isOwner = ({ session }: Pick<View, 'session'>) => session.operator.role === 'owner'

/** A role of OPERATOR_ROLES is shown by its own name. */
export function roleName(role: string, say: SayConsole): string {
  return isRole(role) ? say(`role_${role}`) : role
}

/** Empty values are left out. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString()
  return asked === '' ? path : `${path}?${asked}`
}

/** `/console/payments/pay_1`: a page of the console about one payment, user or session. */
export function addressOf(base: string, page: string, id?: string): string {
  return `${base}/console/${page}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
}

export function sendPage(pages: ConsolePages, reply: FastifyReply, html: string): FastifyReply {
  return reply.headers(pages.headers).send(html)
}

export function goTo({ base, headers }: ConsolePages, reply: FastifyReply, path: string): FastifyReply {
  return reply.headers(headers).redirect(`${base}${path}`, 303)
}
