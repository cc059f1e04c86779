// The pages of a user who is not logged in: asking for a link by mail, and the button that uses it.
import type { Locale } from '../core/locale.js'
import { renderPage } from './frame.js'
import { Message, messagePage } from './message-pages.js'
import type { Pages } from './pages.js'
import { sayOf } from './words.js'

export function linkSentPage(pages: Pages, locale: Locale): string {
  return messagePage(pages, locale, 'linkSentTitle', 'linkSentText')
}

/** `wrong`: what was given and is not an address. */
export function askForLinkPage(pages: Pages, locale: Locale, wrong?: string): string {
  const say = sayOf(pages, locale)
  const title = say('askForLinkTitle')
  return renderPage(pages, {
    locale,
    title,
    backUrl: pages.backUrl(null),
    languagePath: `${pages.base}/portal`,
    safeContent: (
      <Message kind="info" title={title} text={say('askForLinkText')}>
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
          <button type="submit" class="go" safe>
            {say('sendLink')}
          </button>
        </form>
      </Message>
    ),
  })
}

/** What a link in a mail leads to: a button that uses the link. */
export function signInPage(pages: Pages, locale: Locale, token: string): string {
  const say = sayOf(pages, locale)
  const title = say('signInTitle')
  return renderPage(pages, {
    locale,
    title,
    backUrl: pages.backUrl(null),
    languagePath: `${pages.base}/portal/sign-in?token=${encodeURIComponent(token)}`,
    safeContent: (
      <Message kind="info" title={title} text={say('signInText')}>
        <form method="post" action={`${pages.base}/portal/sign-in?lang=${locale}`}>
          <input type="hidden" name="token" value={token} />
          <button type="submit" class="go" safe>
            {say('mail_linkButton')}
          </button>
        </form>
      </Message>
    ),
  })
}
