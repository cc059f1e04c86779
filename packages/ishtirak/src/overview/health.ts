// The state of the service: the checks of `doctor`, and when each job last ran.
import { type Static, Type } from 'typebox'
import type { Check } from '../acts/check.js'
import { type CommandAnswer, reading } from '../acts/reading.js'
import { type Instant, SECOND, timestampOrNull } from '../core/instant.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import type { Clock } from '../runtime/clock.js'

interface JobRound {
  readonly everyMs: number
  readonly expectedAt: Instant
  readonly ranAt: Instant | null
  readonly failedAt: Instant | null
}

export type JobRounds = ReturnType<typeof createJobRounds>

/** When each job of this process last ran. It is kept in memory, because jobs run every few seconds. */
export function createJobRounds(clock: Clock) {
  const rounds = new Map<string, JobRound>()
  return {
    /** Jobs that have not run yet are listed too. */
    expect: (name: string, everyMs: number): void => {
      rounds.set(name, { everyMs, expectedAt: clock.now(), ranAt: null, failedAt: null })
    },
    note: (name: string, everyMs: number, failed: boolean): void => {
      const now = clock.now()
      const { expectedAt = now, failedAt = null } = rounds.get(name) ?? {}
      rounds.set(name, { everyMs, expectedAt, ranAt: now, failedAt: failed ? now : failedAt })
    },
    list: () => [...rounds].map(([name, round]) => ({ name, ...round })),
  }
}

const HealthSchema = object('Health', {
  checks: Type.Array(
    Type.Object({
      subject: Type.String({ examples: ['database'] }),
      verdict: Type.Enum(['ok', 'warn', 'fail']),
      found: Type.String({ description: 'A sentence in English' }),
      remedy: Type.String({ description: 'The remedy; empty if all is well' }),
    }),
    { description: 'The checks that `ishtirak doctor` prints' },
  ),
  jobs: Type.Array(
    Type.Object({
      name: Type.String({ examples: ['deliver-events'] }),
      every_seconds: Type.Number(),
      last_run_at: nullable(timestamp),
      last_failed_at: nullable(timestamp),
    }),
    { description: 'The jobs of the process that answers' },
  ),
})

export interface HealthDeps {
  readonly examine: () => Promise<readonly Check[]>
  readonly rounds: JobRounds
}

/** The checks also have a code and data, which the console needs and the API leaves out. */
export async function readHealth({ examine, rounds }: HealthDeps) {
  const checks = await examine()
  const jobs = rounds.list().map(({ name, everyMs, ranAt, failedAt }) => ({
    ...{ name, every_seconds: everyMs / SECOND },
    ...{ last_run_at: timestampOrNull(ranAt), last_failed_at: timestampOrNull(failedAt) },
  }))
  return { checks, jobs }
}

export const healthReading = reading<HealthDeps>()({
  path: '/health',
  operationId: 'readHealth',
  summary: 'The checks of `ishtirak doctor`, and when each job last ran',
  answer: HealthSchema,
  command: { usage: 'health', judge: judgeHealth },
  read: readHealth,
})

/** The failed checks, for a supervisor or a script; null: all is well. */
function judgeHealth({ checks = [] }: CommandAnswer): string | null {
  const failing = (checks as Static<typeof HealthSchema>['checks']).filter(
    ({ verdict }) => verdict === 'fail',
  )
  if (failing.length === 0) return null
  return failing.map(({ subject, found }) => `${subject} fails: ${found}`).join('\n')
}
