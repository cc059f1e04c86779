// What every page of the console has around its content, and the parts that several pages have. The looks are
// those of the portal. A page is one document without a script, and asks for nothing else.
import type { PropsWithChildren } from '@kitajs/html'
import type { FastifyReply } from 'fastify'
import type { BillingError } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import type { Catalogue } from '../core/plan.js'
import type { Seller } from '../core/receipt.js'
import {
  isRole,
  mayDo,
  type Operator,
  type OperatorSession,
  type Permission,
  type Role,
} from '../core/role.js'
import type { Database } from '../database/database.js'
import type { CallerChecks, Callers } from '../http/callers.js'
import { type ConsoleKey, consoleSay, type SayConsole } from '../i18n/console.js'
import type { Formats, Written } from '../i18n/formats.js'
import { sayFor } from '../i18n/messages.js'
import type { WallClock } from '../runtime/calendar.js'
import type { Clock } from '../runtime/clock.js'
import { FormToken, Languages, LinkButton, renderLayout } from './portal-frame.js'
import type { SessionReader, WithFormToken } from './reader.js'

export type ConsoleSession = WithFormToken<OperatorSession>

/** How operators sign in, and the cookie of a session. */
export interface ConsoleSignIn {
  /** Null: it is over, or never was. */
  find(token: string): Promise<OperatorSession | null>
  end(token: string): Promise<void>
  readonly lastsMs: number
  /** The page that leads back to `url`. */
  pathFor(base: string, url: string): string
  /** Why a sign-in was refused; null: it was none. */
  refusalText(error: BillingError, say: SayConsole): string | null
}

/** What the pages of the console share; a page names beside it what it reads. */
export interface ConsolePages extends CallerChecks {
  readonly database: Database
  readonly clock: Clock
  readonly publicUrl: string
  readonly seller: Seller
  readonly catalogue: Catalogue
  readonly formats: Formats
  readonly wallClock: WallClock
  /** Sorted as every page shows them. */
  readonly sections: readonly ConsoleSection[]
  readonly signIn: ConsoleSignIn
  readonly reader: SessionReader<OperatorSession>
  /** Those who are signed in. */
  readonly operatorsHere: Callers<ConsoleSession>
  readonly headers: Readonly<Record<string, string>>
  readonly style: string
  /** The path under which a proxy may have put us, as in PUBLIC_URL; empty at the root of a host. */
  readonly base: string
}

/** A page that all others lead to. */
export interface ConsoleSection {
  /** The text of its name. */
  readonly key: ConsoleKey
  readonly path: string
  /** Among the others, from the first on. */
  readonly order: number
  /** Whose first page it is after the sign-in while nothing waits; of the others it is `/console`. */
  readonly startsFor?: Role
  /** How much waits there; it is given the pages of the capability that brings it. */
  waiting?(pages: never): Promise<number>
  /** The permission to see it; absent: everyone may. */
  readonly permission?: Permission
}

/** Who reads a page, and in which language. */
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
  /** Which section is marked as the present one. */
  readonly section?: ConsoleKey
  /** Where `lang=` is put behind; empty: the page's own address. */
  readonly languagePath?: string
  /** What stands in the field of the search; empty where it is left out. */
  readonly searched?: string
  /** Made of components, which have escaped what they were given. */
  readonly safeContent: JSX.Element
}

/** The one field of the search takes so many characters. */
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

/** A page of an operator who is signed in, under its title. */
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

/** One of OPERATOR_ROLES has no other name than its own. */
export function roleName(role: string, say: SayConsole): string {
  return isRole(role) ? say(`role_${role}`) : role
}

/** What is empty is not asked for. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString()
  return asked === '' ? path : `${path}?${asked}`
}

/** `/console/payments/pay_1`: a page of the console about one payment, user or session. */
export function addressOf(base: string, page: string, id?: string): string {
  return `${base}/console/${page}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
}

/** Where a sign-in leads that was to lead to `/console`: there as long as something waits. */
export async function startFor(pages: ConsolePages, { role }: Operator, to: string): Promise<string> {
  const start = pages.sections.find(({ startsFor }) => startsFor === role)
  if (to !== '/console' || !start) return to
  // All pages are one object, whatever each reads of it.
  const counts = pages.sections.map(({ waiting }) => waiting?.(pages as never) ?? 0)
  return (await Promise.all(counts)).some((count) => count > 0) ? to : start.path
}

export function sendPage(pages: ConsolePages, reply: FastifyReply, html: string): FastifyReply {
  return reply.headers(pages.headers).send(html)
}

/** `path` without the base. */
export function goTo({ base, headers }: ConsolePages, reply: FastifyReply, path: string): FastifyReply {
  return reply.headers(headers).redirect(`${base}${path}`, 303)
}

/** What is folded until a reader opens it, or may be folded. */
export function Folded(of: PropsWithChildren<{ id: string; title: string; isOpen: boolean }>) {
  return (
    <details class="card" open={of.isOpen}>
      <summary>
        <h2 safe>{of.title}</h2>
      </summary>
      <div id={of.id} class="folded">
        {of.children}
      </div>
    </details>
  )
}

/** Sentences above what they are about; those that are null are left out. */
export function Notices({ of, warn = false }: { of: readonly (string | null)[]; warn?: boolean }) {
  return (
    <>
      {of.map((text) =>
        text === null ? null : (
          <p class={warn ? 'notice warn' : 'notice'} role={warn ? 'status' : undefined} safe>
            {text}
          </p>
        ),
      )}
    </>
  )
}

/** The ways from one page of a list to the first and to the next; null: there is none. */
export function Pager(of: PropsWithChildren<{ view: View; first: string | null; next: string | null }>) {
  const { view, first, next, children } = of
  if (first === null && next === null && !children) return null
  return (
    <p class="actions">
      {children}
      {first === null ? null : <LinkButton href={first} label={view.say('firstPage')} />}
      {next === null ? null : <LinkButton href={next} label={view.say('nextPage')} />}
    </p>
  )
}

/** A fact that links to a page. */
export interface LinkedFact {
  readonly href: string
  readonly text: string
  /** An id, in small type. */
  readonly under?: string
}

export type Fact = readonly [name: string, value: string | LinkedFact | null]

/** Names and what they are; those that are null are left out. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) =>
        value === null ? null : (
          <div>
            <dt safe>{name}</dt>
            <dd>{typeof value === 'string' ? <Text>{value}</Text> : <Link {...value} />}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

/** `isRow`: all of its row in a table leads there. */
export function Link({ href, text, under, isRow }: LinkedFact & { readonly isRow?: boolean }) {
  return (
    <>
      <a href={href} class={isRow ? 'leads' : undefined}>
        <bdi safe>{text}</bdi>
      </a>
      <Under>{under ?? null}</Under>
    </>
  )
}

/** Shows a second line in a cell, in small type. */
export function Under({ children }: PropsWithChildren<{ children: string | null }>) {
  if (children === null) return null
  return (
    <span class="soft small line">
      <Text>{children}</Text>
    </span>
  )
}

/** Shows a short explanation in small type. */
export function Hint({ children }: PropsWithChildren<{ children: string }>) {
  return (
    <p class="soft small" safe>
      {children}
    </p>
  )
}

/** An amount or an instant, on one line. */
export function NoWrap({ children }: PropsWithChildren<{ children: string }>) {
  return (
    <bdi class="nowrap" safe>
      {children}
    </bdi>
  )
}

/**
 * By itself, in the direction of its first letter. A sentence of ours has that of the page: it may begin with
 * a name that is isolated (U+2068), which browsers look into all the same.
 */
export function Text({ children }: PropsWithChildren<{ children: string }>) {
  if (children === '') return ''
  return children.includes('\u2068') ? <span safe>{children}</span> : <bdi safe>{children}</bdi>
}
