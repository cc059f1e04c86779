// Proofs of transfers as rows: one for each file, and its content in parts.
import type { Instant } from '../core/instant.js'
import { type Queryable, statement, type Transaction } from '../database/database.js'
import { at, column, instant, instantOrNull, integer, rowOf, text, word } from '../database/rows.js'
import type { ProofType } from './proof-file.js'
import type { OfPayment, Transfer } from './transfers.sql.js'

const parseProof = rowOf({
  /** 1, 2, 3 of its transfer. */
  n: integer,
  uploadedAt: instant,
  type: column('media_type', word<ProofType>),
  bytes: integer,
  /** The SHA-256 of the content, in hex. */
  sha256: text,
  erasedAt: instantOrNull,
})
export type Proof = ReturnType<typeof parseProof>

const selectProofs = statement(
  'transfer_proofs.of_payment',
  `select n, uploaded_at, media_type, bytes, sha256, erased_at from transfer_proofs
    where user_id = $1 and payment_id = $2 order by n`,
)

export async function listProofs(database: Queryable, of: OfPayment): Promise<readonly Proof[]> {
  return (await database.query(selectProofs, [of.userId, of.paymentId])).map(parseProof)
}

const selectToCheck = statement(
  'transfer_proofs.to_check',
  `select payment_id from transfers
    where user_id = $1 and payment_id = any($2::text[]) and state = 'open' and proof_at is not null`,
)

/** Those of `paymentIds` that have a proof and no decision yet. */
export async function slipsToCheck(
  database: Queryable,
  { userId, paymentIds }: { readonly userId: string; readonly paymentIds: readonly string[] },
): Promise<readonly string[]> {
  const rows = await database.query(selectToCheck, [userId, paymentIds])
  return rows.map((row) => text(row, 'payment_id'))
}

const insertProof = statement(
  'transfer_proofs.insert',
  `with proved as (
     update transfers set proof_at = $3::timestamptz, version = version + 1
      where user_id = $1 and payment_id = $2
   )
   insert into transfer_proofs (user_id, payment_id, n, uploaded_at, media_type, bytes, sha256)
   values ($1, $2, $4, $5::timestamptz, $6, $7, $8)`,
)

/** A part is sent as base64, which is a third longer, and is in memory a few times on its way. */
const PART_BYTES = 24 * 1024

const insertPart = statement(
  'transfer_proofs.insert_part',
  `insert into transfer_proof_parts (user_id, payment_id, n, part, content)
   values ($1, $2, $3, $4, decode($5, 'base64'))`,
)

/** Stores a proof that was decided at the version of the user whose row the transaction has locked. */
export async function saveProof(
  transaction: Transaction,
  { userId, paymentId }: OfPayment,
  { transfer, proof }: { readonly transfer: Transfer; readonly proof: Proof },
  content: Buffer,
): Promise<void> {
  const { n, uploadedAt, type, bytes, sha256 } = proof
  const key = [userId, paymentId]
  const facts = [at(transfer.proofAt), n, at(uploadedAt), type, bytes, sha256]
  await transaction.query(insertProof, [...key, ...facts])
  for (let part = 0; part * PART_BYTES < content.length; part++) {
    const piece = content.toString('base64', part * PART_BYTES, (part + 1) * PART_BYTES)
    await transaction.query(insertPart, [...key, n, part, piece])
  }
}

const selectPart = statement(
  'transfer_proofs.part',
  `select encode(content, 'base64') as content from transfer_proof_parts
    where user_id = $1 and payment_id = $2 and n = $3 and part = $4`,
)

/** Reads the next part when the consumer asks for it. */
export async function* proofContent(
  database: Queryable,
  { userId, paymentId }: OfPayment,
  { n, bytes }: Pick<Proof, 'n' | 'bytes'>,
): AsyncGenerator<Buffer> {
  for (let part = 0; part * PART_BYTES < bytes; part++) {
    const [row] = await database.query(selectPart, [userId, paymentId, n, part])
    if (!row) throw new Error(`proof ${n} of ${paymentId} was erased while it was read`)
    yield Buffer.from(text(row, 'content'), 'base64')
  }
}

// A transfer that the user gave up has no decision, so the end of its payment counts instead.
const erase = statement(
  'transfer_proofs.erase',
  `with due as materialized (
     select f.user_id, f.payment_id, f.n
       from transfer_proofs f
       join transfers t on t.user_id = f.user_id and t.payment_id = f.payment_id
       join payments p on p.user_id = f.user_id and p.id = f.payment_id
      where f.erased_at is null and f.uploaded_at < $2::timestamptz
        and coalesce(t.decided_at, p.expires_at) < $2::timestamptz
      order by f.uploaded_at limit $3 for update of f skip locked
   ), emptied as (
     delete from transfer_proof_parts c using due d
      where c.user_id = d.user_id and c.payment_id = d.payment_id and c.n = d.n
   )
   update transfer_proofs f set erased_at = $1::timestamptz
     from due d where f.user_id = d.user_id and f.payment_id = d.payment_id and f.n = d.n
   returning f.user_id`,
)

/** Erases proofs of transfers that were decided, or ended undecided, before `before`. Returns how many. */
export async function eraseProofsBefore(
  database: Queryable,
  of: { readonly before: Instant; readonly now: Instant; readonly limit: number },
): Promise<number> {
  return (await database.query(erase, [at(of.now), at(of.before), of.limit])).length
}

// The digest stays when the content is erased.
const selectSameProofs = statement(
  'transfer_proofs.same',
  `select own.n, p.user_id, p.id as payment_id, p.status
     from transfer_proofs own
     join transfer_proofs other using (sha256)
     join payments p on p.user_id = other.user_id and p.id = other.payment_id
    where own.user_id = $1 and own.payment_id = $2 and other.payment_id <> $2
    order by own.n, other.uploaded_at, p.id limit 10`,
)
const parseSameProof = rowOf({ n: integer, user_id: text, payment_id: text, status: text })

export async function sameProofsOf(database: Queryable, of: OfPayment) {
  return (await database.query(selectSameProofs, [of.userId, of.paymentId])).map(parseSameProof)
}
