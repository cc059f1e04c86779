// Receipts as rows, for tests and benchmarks that insert many payments without buying them.

/** The seller of these receipts: a statement of its own, or a part of the one that inserts them. */
export const INSERT_SELLER = `insert into seller_versions (hash, seller) values ('laid', '{}')
  on conflict do nothing`

/** `rows`: user_id, id, series, number, issued_at, and the amount in dinars, with 19 % of tax in it. */
export const insertReceipts = (rows) => `insert into documents
    (user_id, payment_id, place, kind, series, number, issued_at, issued_on, seller, net_centimes,
     tax_centimes, duty_centimes, discount_centimes, fee_centimes, snapshot)
  select user_id, id, 0, 'receipt', series, number, issued_at, day, 'laid', net,
         amount::bigint * 100 - net, 0, 0, 4500,
         jsonb_build_object('version', 1, 'amount', amount, 'paidOn', to_char(day, 'YYYY-MM-DD'),
           'tax', '{"kind": "vat", "ratePercent": 19}'::jsonb,
           'buyer', '{"name": null, "email": null}'::jsonb, 'live', series not like 'TEST-%')
    from (${rows}) laid,
         lateral (select (issued_at at time zone 'Africa/Algiers')::date as day,
                         round(amount::bigint * 100 / 1.19)::bigint as net) sums`
