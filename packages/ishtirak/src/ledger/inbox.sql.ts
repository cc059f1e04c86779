// Queries of the payments that wait for an operator, for the inbox.

export const IN_REVIEW = `
  select coalesce(to_timestamp((reports->-1->>'heardAt')::bigint / 1000.0), created_at), id, user_id, id,
         amount,
         (select string_agg(difference, ', ')
           from jsonb_array_elements_text(review->'differences') difference)
    from payments where status = 'review'`

export const PAID_TWICE = `
  select paid_at, id, user_id, id, amount, second_of from payments
   where second_of is not null and status = 'paid' and kept_at is null`
