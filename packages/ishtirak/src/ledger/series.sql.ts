// Numbers of papers, and their series. A restored database does not know the numbers that were drawn after
// the backup. So a series of those years continues under a mark of the restore.

/** Common table expression: the mark of the last restore, and the last year that it may concern. */
export const RESTORED = `restored as (
     select to_char(max(restored_at) at time zone 'UTC', '"-R"YYYYMMDDHH24MISS') as mark,
            to_char(max(restored_at) at time zone 'UTC' + interval '1 day', 'YYYY') as last_year
       from restores
   )`

/** `series` ends with its year. Beside `RESTORED`. */
export const seriesSince = (series: string) =>
  `${series} || case when right(${series}, 4) <= restored.last_year then restored.mark else '' end`

/**
 * Draws numbers. `wanted`: each series once, how many of its numbers, and the last date on them. Gives the
 * last number, and the date for the snapshots, `dated`.
 */
export const drawNumbers = (wanted: string) => `
     insert into receipt_series as s (series, last_number, last_issued_on)
     ${wanted}
         on conflict (series) do update
        set last_number = s.last_number + excluded.last_number,
            last_issued_on = greatest(s.last_issued_on, excluded.last_issued_on)
     returning series, last_number, jsonb_build_object('issuedOn', last_issued_on) as dated`
