interface Prepared {
  bind(...values: unknown[]): Prepared
  first(column?: string): Promise<unknown>
  all(): Promise<{ results: object[]; success: boolean; meta: { changes?: number } }>
  run(): Promise<{ meta: { changes?: number } }>
  raw(): Promise<unknown[]>
}

interface Database {
  prepare(query: string): Prepared
  batch(statements: never[]): Promise<{ results: object[]; meta: { changes?: number } }[]>
}

const messageOf = async (asking: Promise<unknown>): Promise<string> => {
  try {
    await asking
    return 'nothing was thrown'
  } catch (cause) {
    return (cause as Error).message
  }
}

/** Uses the credentials table of the product's own migrations. */
export const databaseScenario = async (database: Database) => {
  const insert = (record: string) =>
    database.prepare('INSERT INTO credentials VALUES (?, ?, ?, ?, ?)').bind('acct_drift', record, 'sealed', '{}', 7)
  const read = 'SELECT record, updated_at AS updatedAt FROM credentials WHERE account_id = ? ORDER BY record'
  const select = () => database.prepare(read).bind('acct_drift')
  await database.prepare('DELETE FROM credentials WHERE account_id = ?').bind('acct_drift').run()
  const inserted = (await insert('a').run()).meta.changes
  const batched = await database.batch([insert('b'), select()] as never[])
  const failed = await messageOf(database.batch([insert('c'), insert('a')] as never[]))
  const afterFailed = await select().all()
  const update = 'UPDATE credentials SET sealed = ? WHERE account_id = ?'
  const updated = await database.prepare(update).bind('other', 'acct_drift').run()
  const undefinedValue = await messageOf((async () => database.prepare(update).bind(undefined, 'acct_drift').run())())
  const numbered = await database
    .prepare('SELECT count(*) AS count FROM credentials WHERE account_id = ?1 AND (?2 IS NULL OR record = ?2)')
    .bind('acct_drift', null)
    .first()
  const removed = await database.prepare('DELETE FROM credentials WHERE account_id = ?').bind('acct_drift').run()
  return {
    ...{
      inserted,
      batched: batched.map(({ results }) => results),
      failed: failed.startsWith('D1_ERROR: UNIQUE constraint failed'),
    },
    ...{ afterFailed: afterFailed.results, success: afterFailed.success, updated: updated.meta.changes },
    ...{ undefinedValue: undefinedValue.startsWith('D1_TYPE_ERROR'), numbered, removed: removed.meta.changes },
    first: await select().first(),
    column: await database.prepare('SELECT 7 AS seven, 8 AS eight').first('eight'),
    raw: await database.prepare('SELECT 7 AS seven, 8 AS eight').raw(),
  }
}

export const expectedDatabase = {
  inserted: 1,
  batched: [
    [],
    [
      { record: 'a', updatedAt: 7 },
      { record: 'b', updatedAt: 7 },
    ],
  ],
  failed: true,
  afterFailed: [
    { record: 'a', updatedAt: 7 },
    { record: 'b', updatedAt: 7 },
  ],
  success: true,
  updated: 2,
  undefinedValue: true,
  numbered: { count: 2 },
  removed: 2,
  first: null,
  column: 8,
  raw: [[7, 8]],
}
