// The series of a paper's number. What was drawn after a backup is not known any more once it is restored, so
// that a series of those years goes on under a mark.

/** Common table expression: the mark of the last restore, and the last year that it may concern. */
export const RESTORED = `restored as (
     select to_char(max(restored_at) at time zone 'UTC', '"-R"YYYYMMDDHH24MISS') as mark,
            to_char(max(restored_at) at time zone 'UTC' + interval '1 day', 'YYYY') as last_year
       from restores
   )`

/** `series` ends with its year. Beside `RESTORED`. */
export const seriesSince = (series: string) =>
  `${series} || case when right(${series}, 4) <= restored.last_year then restored.mark else '' end`
