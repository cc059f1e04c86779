// The four lines on top of the page of health: each says that all is well, or what is not.
import type { Check } from '../acts/check.js'
import { listComparisons } from '../compare/reconcile.sql.js'
import { DAY } from '../core/instant.js'
import { Table, Text, type View } from '../pages/console-frame.js'
import { codeInWords } from '../pages/console-words.js'
import { Card } from '../pages/portal-frame.js'
import type { AllPages } from './all-pages.js'
import { readTrail } from './audit-trail.js'
import { CheckFound, Verdict } from './check-found.js'
import type { readHealth } from './health.js'

type Health = Awaited<ReturnType<typeof readHealth>>

interface Line {
  readonly key: 'canPay' | 'isBooked' | 'goesOut' | 'isKept'
  readonly verdict: Check['verdict']
  readonly safeWhy: JSX.Element[]
}

const SUBJECTS = {
  canPay: ['provider', 'webhook'],
  isBooked: ['database', 'schema', 'clock', 'tax'],
  goesOut: ['events', 'mail'],
} as const satisfies Readonly<Record<string, readonly Check['subject'][]>>

/** Jobs by the line that they are about: one whose last round failed is said there. */
const JOBS: Readonly<Record<string, readonly string[]>> = {
  isBooked: ['check-due-payments'],
  goesOut: ['deliver-events', 'send-mail'],
}

/** A comparison runs each day, and a backup should. */
const RECENT = 2 * DAY

export async function readHealthLines(pages: AllPages, view: View, health: Health): Promise<readonly Line[]> {
  const lines = Object.entries(SUBJECTS).map(([key, subjects]) => {
    const wrong = health.checks.filter(
      ({ subject, verdict }) => verdict !== 'ok' && subjects.some((one) => one === subject),
    )
    const failed = health.jobs.filter(
      ({ name, last_run_at, last_failed_at }) =>
        JOBS[key]?.includes(name) && last_failed_at !== null && last_failed_at === last_run_at,
    )
    const isFailing = failed.length > 0 || wrong.some(({ verdict }) => verdict === 'fail')
    const verdict = isFailing ? 'fail' : wrong.length > 0 ? 'warn' : 'ok'
    const safeWhy = [
      ...wrong.map((check) => <CheckFound {...{ pages, view, check }} />),
      ...failed.map(({ name }) => (
        <Text>{view.say('jobFailed', { job: codeInWords(view, 'job', name) })}</Text>
      )),
    ]
    return { key: key as keyof typeof SUBJECTS, verdict, safeWhy } as const
  })
  return [...lines, await keptLine(pages, view)]
}

/** What was never done says so: where a server is backed up, its own tools do it. */
async function keptLine(pages: AllPages, view: View): Promise<Line> {
  const [compared, backups] = await Promise.all([
    listComparisons(pages.database, null, { comparisons: 1, findings: 0 }),
    readTrail(pages, { act: 'database.backup', limit: 1 }),
  ])
  const finished = compared.comparisons[0]?.finished_at ?? null
  const ages = [
    { key: 'lastComparison', at: finished } as const,
    { key: 'lastBackup', at: backups.data[0]?.at ?? null } as const,
  ].map(({ key, at }) => ({ key, at: at === null ? null : Date.parse(at) }))
  const now = pages.clock.now()
  const isOld = ages.some(({ at }) => at !== null && now - at > RECENT)
  const safeWhy = ages.map(({ key, at }) => (
    <span class="line">
      <Text>
        {view.say(key, { when: at === null ? view.say('never') : pages.formats.moment(at, view.locale) })}
      </Text>
    </span>
  ))
  return { key: 'isKept', verdict: isOld ? 'warn' : 'ok', safeWhy }
}

export function HealthLinesCard({ view, lines }: { view: View; lines: readonly Line[] }) {
  const { say } = view
  const rows = lines.map(({ key, verdict, safeWhy }) => ({
    safeCells: [
      <b safe>{say(key)}</b>,
      <Verdict {...{ view, verdict }} />,
      safeWhy.length === 0 ? '' : <div>{safeWhy}</div>,
    ],
  }))
  return (
    <Card id="lines" title={say('atAGlance')}>
      <Table columns={[say('subject'), say('status'), say('found')]} safeRows={rows} />
    </Card>
  )
}
