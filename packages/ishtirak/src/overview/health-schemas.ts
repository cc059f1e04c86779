// The shape of the service's health.
import { Type } from 'typebox'
import { nullable, object, timestamp } from '../http/schemas.js'

export const HealthSchema = object('Health', {
  checks: Type.Array(
    Type.Object({
      subject: Type.String({ examples: ['database'] }),
      verdict: Type.Enum(['ok', 'warn', 'fail']),
      found: Type.String({ description: 'In English' }),
      remedy: Type.String({ description: 'What to do; empty when all is well' }),
    }),
    { description: 'As `ishtirak doctor` prints them' },
  ),
  jobs: Type.Array(
    Type.Object({
      name: Type.String({ examples: ['deliver-events'] }),
      every_seconds: Type.Number(),
      last_run_at: nullable(timestamp),
      last_failed_at: nullable(timestamp),
    }),
    { description: 'Of the process that answers, since its start' },
  ),
})
