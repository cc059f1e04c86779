// The text of an entry that is hashed: one line of JSON with every stored column, the same on both databases
// and in every session. Instants are in UTC with all digits. Erasing a person changes none of these entries.
// A document is sealed with a salted hash of its buyer, so it can lose the buyer when it need not be kept any
// longer.
//
// A released text is never changed, because seals are checked by it for as long as books are kept. A release
// that adds a column adds a form, and checks each seal by the form that the seal names.

/** New seals are made by this form. */
export const FORM = 1

/** The text of `documents d`, with the seller's data that its hash names. */
export const DOCUMENT = `
  json_build_object(
    'form', 1, 'kind', 'document', 'series', d.series, 'number', d.number, 'user_id', d.user_id,
    'payment_id', d.payment_id, 'place', d.place, 'document', d.kind,
    'issued_at', d.issued_at at time zone 'UTC', 'issued_on', d.issued_on,
    'seller', (select v.seller from seller_versions v where v.hash = d.seller),
    'net_centimes', d.net_centimes, 'tax_centimes', d.tax_centimes, 'duty_centimes', d.duty_centimes,
    'discount_centimes', d.discount_centimes, 'fee_centimes', d.fee_centimes,
    'snapshot', without_buyer(d.snapshot, d.salt))::text`

/** The text of `balance_entries b`. */
export const BALANCE_ENTRY = `
  json_build_object(
    'form', 1, 'kind', 'balance_entry', 'user_id', b.user_id, 'sequence', b.sequence, 'id', b.id,
    'entry', b.kind, 'amount', b.amount, 'balance_before', b.balance_before,
    'balance_after', b.balance_after, 'payment_id', b.payment_id, 'note', b.note,
    'created_at', b.created_at at time zone 'UTC')::text`

/** The text of `audit a`. */
export const ACT = `
  json_build_object(
    'form', 1, 'kind', 'act', 'user_id', a.user_id, 'id', a.id, 'acted_at', a.acted_at at time zone 'UTC',
    'actor', a.actor, 'act', a.act, 'reason', a.reason, 'payment_id', a.payment_id, 'before', a.before,
    'after', a.after, 'asked', a.asked, 'operation_id', a.operation_id)::text`

/** The text of the entry that `seals s` names. It is null if there is no such entry any more. */
export const SEALED_CONTENT = `
  case s.kind
    when 'document' then
      (select ${DOCUMENT} from documents d where d.series = s.series and d.number = s.number)
    when 'balance_entry' then
      (select ${BALANCE_ENTRY} from balance_entries b where b.user_id = s.series and b.sequence = s.number)
    else (select ${ACT} from audit a where a.user_id = s.series and a.id = s.act_id)
  end`
