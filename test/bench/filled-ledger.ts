import type { Sql } from '../../src/jobs/ledger/sql.ts'

const batch = 5000

/**
 * Fills a ledger's tables like a busy month: jobs of twenty kinds, three a second, most of them finished, one in ten
 * failed with a stack, a few canceled and waiting; and the figures of their minutes.
 * @returns when the last one was created, ms since epoch
 */
export function fillLedger(sql: Sql, jobs: number, now: number): number {
  const began = now - Math.ceil(jobs / 3) * 1000
  for (let from = 1; from <= jobs; from += batch) {
    sql.rows(
      `WITH RECURSIVE n (seq) AS (SELECT ?1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ?2),
       made (seq, state, created_at) AS (SELECT seq, CASE WHEN seq % 10 = 3 THEN 'failed' WHEN seq % 50 = 7 THEN 'canceled'
         WHEN seq % 100 = 9 THEN 'scheduled' ELSE 'finished' END, ?3 + seq * 1000 / 3 FROM n)
       INSERT INTO job (seq, id, task, state, priority, input, attempts_limit, run_seconds, retry_seconds, attempt, tries,
         created_at, due_at, queued_at, started_at, ended_at, worker, result, error)
       SELECT seq, printf('bench-%014da', seq), 'task-' || (seq % 20), state, 0,
         json_object('section', printf('%08x', seq * 2654435761 % 4294967296), 'term', '202610', 'subject', 'CS'),
         3, 10, '[5,60]', 1, 1, created_at, iif(state = 'scheduled', created_at + 8640000000, created_at), created_at, created_at + 40,
         iif(state = 'scheduled', NULL, created_at + 140), 'worker-' || (seq / 400),
         iif(state = 'finished', json_object('sections', seq % 40), NULL),
         iif(state = 'failed', printf('Error: The page %d was not read.%s', seq, ?4), NULL) FROM made`,
      from,
      Math.min(jobs, from + batch - 1),
      began,
      '\n    at readPage (worker.js:1200:11)'.repeat(12),
    )
  }
  sql.rows(
    `WITH RECURSIVE m (minute) AS (SELECT ?1 UNION ALL SELECT minute + 1 FROM m WHERE minute < ?2),
     kind (what, bucket) AS (VALUES ('enqueued', 0), ('started', 0), ('finished', 0), ('failed', 0), ('wait', 20), ('wait', 23),
       ('wait', 28), ('run', 26), ('run', 30), ('run', 38))
     INSERT INTO tally (minute, what, bucket, jobs) SELECT minute, what, bucket, 180 - bucket FROM m, kind`,
    Math.floor((now - 14 * 86_400_000) / 60_000),
    Math.floor(now / 60_000),
  )
  return began + Math.ceil((jobs * 1000) / 3)
}
