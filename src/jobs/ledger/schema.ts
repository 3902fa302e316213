import type { Sql } from './sql.ts'

/** Every step of the schema, in order. A released step is never edited: a change is a new step. */
const steps: readonly (readonly string[])[] = [
  [
    `CREATE TABLE job (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      task TEXT NOT NULL,
      key TEXT,
      state TEXT NOT NULL,
      registry TEXT GENERATED ALWAYS AS
        (CASE state WHEN 'started' THEN 'active' WHEN 'stopped' THEN 'finished' ELSE state END) VIRTUAL,
      priority INTEGER NOT NULL,
      exclusive_name TEXT,
      when_held TEXT,
      input TEXT NOT NULL,
      attempts_limit INTEGER NOT NULL,
      run_seconds REAL NOT NULL,
      retry_seconds TEXT NOT NULL,
      attempt INTEGER NOT NULL DEFAULT 1,
      tries INTEGER NOT NULL DEFAULT 0,
      asked_by TEXT,
      created_at INTEGER NOT NULL,
      due_at INTEGER NOT NULL,
      queued_at INTEGER,
      started_at INTEGER,
      ended_at INTEGER,
      heartbeat_at INTEGER,
      lease_until INTEGER,
      deadline INTEGER,
      rung_at INTEGER,
      stop_asked INTEGER NOT NULL DEFAULT 0,
      worker TEXT,
      progress_done INTEGER NOT NULL DEFAULT 0,
      progress_total INTEGER NOT NULL DEFAULT 0,
      progress_label TEXT NOT NULL DEFAULT '',
      result TEXT,
      error TEXT
    )`,
    `CREATE UNIQUE INDEX job_living_key ON job (key)
      WHERE key IS NOT NULL AND state IN ('scheduled', 'queued', 'started')`,
    `CREATE INDEX job_registry ON job (registry, seq)`,
    `CREATE INDEX job_created ON job (created_at)`,
    `CREATE INDEX job_ended ON job (ended_at) WHERE ended_at IS NOT NULL`,
    `CREATE INDEX job_due ON job (due_at) WHERE state = 'scheduled'`,
    `CREATE INDEX job_turn ON job (priority DESC, due_at, seq) WHERE state = 'queued'`,
    `CREATE INDEX job_oldest ON job (queued_at) WHERE state = 'queued'`,
    `CREATE INDEX job_rung ON job (rung_at) WHERE state = 'queued' AND rung_at IS NOT NULL`,
    `CREATE INDEX job_lease ON job (lease_until) WHERE state = 'started'`,
    `CREATE INDEX job_holder ON job (exclusive_name) WHERE state = 'started' AND exclusive_name IS NOT NULL`,
    `CREATE INDEX job_joining ON job (exclusive_name) WHERE state = 'queued' AND when_held = 'skip'`,

    `CREATE TABLE task (name TEXT PRIMARY KEY) WITHOUT ROWID`,
    // One row per claimed attempt. `outcome` is null while it runs.
    `CREATE TABLE run (
      job INTEGER NOT NULL,
      attempt INTEGER NOT NULL,
      worker TEXT NOT NULL,
      location TEXT,
      started_at INTEGER NOT NULL,
      ended_at INTEGER,
      outcome TEXT,
      error TEXT,
      PRIMARY KEY (job, attempt)
    ) WITHOUT ROWID`,
    `CREATE INDEX run_worker ON run (worker, started_at)`,
    `CREATE TABLE line (
      job INTEGER NOT NULL,
      number INTEGER NOT NULL,
      at INTEGER NOT NULL,
      line TEXT NOT NULL,
      PRIMARY KEY (job, number)
    ) WITHOUT ROWID`,
    `CREATE TABLE worker (
      name TEXT PRIMARY KEY,
      location TEXT,
      born_at INTEGER NOT NULL,
      seen_at INTEGER NOT NULL,
      running INTEGER NOT NULL DEFAULT 0,
      busy_since INTEGER,
      busy_ms INTEGER NOT NULL DEFAULT 0,
      successful INTEGER NOT NULL DEFAULT 0,
      failed INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID`,
    `CREATE INDEX worker_seen ON worker (seen_at)`,
    `CREATE INDEX worker_busy ON worker (name) WHERE running > 0`,

    // Figures of one minute. `bucket`: 0 for counts, a step of a logarithmic scale for durations.
    `CREATE TABLE tally (
      minute INTEGER NOT NULL,
      what TEXT NOT NULL,
      bucket INTEGER NOT NULL,
      jobs INTEGER NOT NULL,
      PRIMARY KEY (minute, what, bucket)
    ) WITHOUT ROWID`,
    `CREATE TABLE audit (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      who TEXT,
      act TEXT NOT NULL,
      job TEXT,
      jobs INTEGER NOT NULL,
      detail TEXT NOT NULL
    )`,
    `CREATE TABLE setting (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID`,

    // Triggers maintain the counters, so that no statement can forget them.
    `CREATE TABLE counter (state TEXT PRIMARY KEY, jobs INTEGER NOT NULL) WITHOUT ROWID`,
    `INSERT INTO counter (state, jobs) VALUES
      ('scheduled', 0), ('queued', 0), ('started', 0), ('finished', 0), ('failed', 0), ('stopped', 0), ('canceled', 0)`,
    `CREATE TRIGGER job_added AFTER INSERT ON job BEGIN
      UPDATE counter SET jobs = jobs + 1 WHERE state = NEW.state;
    END`,
    `CREATE TRIGGER job_moved AFTER UPDATE OF state ON job WHEN OLD.state <> NEW.state BEGIN
      UPDATE counter SET jobs = jobs - 1 WHERE state = OLD.state;
      UPDATE counter SET jobs = jobs + 1 WHERE state = NEW.state;
    END`,
    `CREATE TRIGGER job_removed AFTER DELETE ON job BEGIN
      UPDATE counter SET jobs = jobs - 1 WHERE state = OLD.state;
      DELETE FROM run WHERE job = OLD.seq;
      DELETE FROM line WHERE job = OLD.seq;
    END`,
  ],
  [
    // The runs of the minute cron's schedules, stored only in the ledger of `maintenance`.
    `CREATE TABLE schedule (
      name TEXT PRIMARY KEY,
      is_enabled INTEGER NOT NULL DEFAULT 1,
      last_run_at INTEGER,
      last_error TEXT
    ) WITHOUT ROWID`,
  ],
  [
    // Indexes for what is pruned each minute.
    `CREATE INDEX audit_at ON audit (at)`,
  ],
  [
    // When a schedule was switched on again: runs missed while it was off are not made up.
    `ALTER TABLE schedule ADD COLUMN enabled_at INTEGER`,
  ],
  [
    // Since when no version that claimed the job has known its task.
    `ALTER TABLE job ADD COLUMN returned_at INTEGER`,
  ],
  [
    // Finds the jobs between two runs that others join.
    `CREATE INDEX job_between ON job (exclusive_name, due_at) WHERE state = 'scheduled' AND started_at IS NOT NULL`,
  ],
  [
    // The same for those that are due: without it, each change reads all that wait in a paused queue, for each of them.
    `CREATE INDEX job_continuing ON job (exclusive_name, due_at)
      WHERE state = 'queued' AND when_held = 'skip' AND started_at IS NOT NULL`,
  ],
  [
    // Orders the lists of ended jobs.
    `CREATE INDEX job_registry_ended ON job (registry, ended_at) WHERE ended_at IS NOT NULL`,
  ],
]

/** Migrates a ledger's tables to the newest schema; safe to call on every start. */
export function prepareSchema(sql: Sql): void {
  sql.atomically(() => {
    sql.rows('CREATE TABLE IF NOT EXISTS schema_step (number INTEGER PRIMARY KEY)')
    const done = sql.rows('SELECT number FROM schema_step').length
    for (const [index, statements] of steps.entries()) {
      if (index < done) continue
      for (const statement of statements) sql.rows(statement)
      sql.rows('INSERT INTO schema_step (number) VALUES (?)', index + 1)
    }
  })
}
