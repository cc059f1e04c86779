// The health page's card of due mail without a writer: a capability was removed, or an older version runs
// beside a newer one. Such mail waits.
import { type ConsolePages, Facts, type View } from '../pages/console-frame.js'
import { codeInWords } from '../pages/console-words.js'
import { Card } from '../pages/portal-frame.js'
import { countUnwritten } from './mail.sql.js'
import type { SendMailDeps } from './send-mail.js'

type UnwrittenDeps = ConsolePages & Pick<SendMailDeps, 'mailer' | 'mails' | 'database' | 'clock'>

/** Empty if there is no such mail. */
export async function unwrittenCard(pages: UnwrittenDeps, view: View): Promise<JSX.Element> {
  // Without a mail server all mail waits, perhaps a million, so it is not counted.
  if (!pages.mailer) return ''
  const waiting = await countUnwritten(pages.database, pages.clock.now(), pages.mails)
  if (waiting.length === 0) return ''
  const { say, locale } = view
  const { number, moment } = pages.formats
  return (
    <Card id="unwritten" title={say('mailsUnwritten')}>
      <p class="soft" safe>
        {say('mailsUnwrittenWhy')}
      </p>
      <Facts
        facts={waiting.map(({ kind, mails, oldest }) => [
          codeInWords(view, 'mail', kind),
          say('mailsWaiting', { count: number(mails, locale), when: moment(oldest, locale) }),
        ])}
      />
    </Card>
  )
}
