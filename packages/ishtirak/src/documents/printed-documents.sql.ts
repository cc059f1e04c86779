// The invoices and credit notes that were printed, as rows.
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, flag, rowOf } from '../database/rows.js'

// Uses printed_documents_once.
const note = statement(
  'printed_documents.note',
  `with first as (
     insert into printed_documents (number, printed_at, by_mail) values ($1, $2::timestamptz, $3::boolean)
         on conflict (number) do nothing
     returning by_mail
   )
   select by_mail, true as is_new from first
    union all
   select by_mail, false from printed_documents where number = $1`,
)

const parsePrint = rowOf({ byMail: flag, isNew: flag })

/** How the document was first printed: now, or before. */
export async function notePrint(
  database: Queryable,
  number: string,
  { byMail, now }: { readonly byMail: boolean; readonly now: Instant },
) {
  const [row] = await database.query(note, [number, at(now), byMail])
  // Another print at the same instant was first, and its row is not visible yet.
  return row ? parsePrint(row) : { byMail: false, isNew: false }
}
