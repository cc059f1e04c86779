// What comparisons found, as rows: one finding, and its end.

import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, flag } from '../database/rows.js'
import { viewRows } from '../ledger/schemas.js'
import { FindingSchema } from './reconcile-schemas.js'

/** What a person judges: another one is another finding. The table is `f`. */
const JUDGED = `md5(f.outcome || (f.details - '{paid_at,our_status}'::text[])::text)`
const VERSION = `('x' || left(${JUDGED}, 8))::bit(32)::bigint`

/** Of `comparison_findings f`. */
export const FINDING_COLUMNS = `nullif(f.user_id, '') as user_id, f.method as gateway, f.checkout_id, f.kind,
            f.payment_id, f.outcome, f.details, f.found_at, f.seen_at, ${VERSION} as version,
            f.closed_at, f.closed_by, f.closed_because`

// Without a user: that of our payment with this checkout, or none, where it is not known whose it is.
const selectFinding = statement(
  'findings.one',
  `select ${FINDING_COLUMNS},
          exists (select from payments p where p.id = f.payment_id) as is_our_payment
     from comparison_findings f
    where f.user_id = any(case when $3::text is not null then array[$3]
                               else array(select p.user_id from payments p where p.method_reference = $1)
                                    || ''::text end)
      and f.checkout_id = $1 and f.kind = $2 and ($4::text is null or f.method = $4)
    order by f.seen_at desc limit 1`,
)

export interface FindingName {
  readonly checkoutId: string
  readonly kind: string
  /** Absent: of any, the one seen last. */
  readonly gateway?: string | undefined
  /** Empty: it is not known whose checkout it is. Absent: the finding says so. */
  readonly userId?: string
}

/** Of `comparison_findings f`, in the inbox: four parts, and a space in the last one alone. */
export const FINDING_ID = `
  concat_ws(' ', f.kind, f.method, replace(replace(f.checkout_id, '%', '%25'), ' ', '%20'), f.user_id)`

/** By its id in the inbox. */
export function findingNamed(id: string): FindingName {
  const parts = /^([^ ]+) ([^ ]+) ([^ ]+) (.*)$/s.exec(id) ?? []
  const [, kind = '', gateway = '', checkout = '', userId = ''] = parts
  return { kind, gateway, checkoutId: checkout.replaceAll('%20', ' ').replaceAll('%25', '%'), userId }
}

/** Null: there is none. The payment that it names may be known to the provider alone. */
export async function findFinding(database: Queryable, { checkoutId, kind, gateway, userId }: FindingName) {
  const rows = await database.query(selectFinding, [checkoutId, kind, userId ?? null, gateway ?? null])
  const [row] = rows
  const [finding] = viewRows(FindingSchema, rows)
  if (!row || !finding) return null
  return { finding, isOurPayment: flag(row, 'is_our_payment') }
}

const close = statement(
  'findings.close',
  `with closed as (
     update comparison_findings f set closed_at = $4::timestamptz, closed_by = $5, closed_because = $6
      where user_id = $1 and checkout_id = $2 and kind = $3 and method = $9
        and closed_at is null and ${VERSION} = $8::bigint
     returning user_id
   )
   ${insertAudit({ userId: 'c.user_id', at: '$4::timestamptz', entry: '$7::jsonb', from: 'closed c' })}
   returning id`,
)

/** With its line in the trail. False: it is closed already, or is not what was judged. */
export async function saveClosed(
  database: Queryable,
  name: { readonly [Part in keyof FindingName]-?: string },
  of: {
    readonly by: string
    readonly because: string
    readonly audit: AuditEntry
    readonly version: number
    readonly now: Instant
  },
): Promise<boolean> {
  const { userId, checkoutId, kind, gateway } = name
  const values = [
    userId,
    checkoutId,
    kind,
    at(of.now),
    of.by,
    of.because,
    JSON.stringify(of.audit),
    of.version,
    gateway,
  ]
  const [row] = await database.query(close, values)
  return row !== undefined
}
