// When old secrets were last accepted, as rows: one for each that a process was started with.
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, instant, instantOrNull, rowOf, text } from '../database/rows.js'
import type { OldSecret } from '../runtime/old-secrets.js'

// Another process may have seen a later use.
const save = statement(
  'old_secrets.save',
  `insert into old_secrets as o (list, fingerprint, watched_since, used_at)
   values ($1, $2, $3::timestamptz, $4::timestamptz)
       on conflict (list, fingerprint) do update set used_at = excluded.used_at
    where excluded.used_at > coalesce(o.used_at, '-infinity')`,
)

/** `usedAt` null: no use was seen, and from now on it is looked for. */
export async function saveUse(
  database: Queryable,
  { list, fingerprint }: OldSecret,
  of: { readonly now: Instant; readonly usedAt: Instant | null },
): Promise<void> {
  await database.query(save, [list, fingerprint, at(of.now), at(of.usedAt)])
}

const select = statement(
  'old_secrets.all',
  'select list, fingerprint, watched_since, used_at from old_secrets',
)

const parseUse = rowOf({ watchedSince: instant, usedAt: instantOrNull })
type SeenUse = ReturnType<typeof parseUse>

/** Gives for a secret what was seen of it; undefined: no process was started with it behind another. */
export async function loadUses(database: Queryable): Promise<(secret: OldSecret) => SeenUse | undefined> {
  const keyOf = (list: string, fingerprint: string) => `${list} ${fingerprint}`
  const uses = new Map(
    (await database.query(select)).map((row) => [
      keyOf(text(row, 'list'), text(row, 'fingerprint')),
      parseUse(row),
    ]),
  )
  return ({ list, fingerprint }) => uses.get(keyOf(list, fingerprint))
}
